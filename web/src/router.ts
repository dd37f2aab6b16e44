import { signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export const place = signal<Place>(here());

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export function go(href: string): void {
  if (href === location.pathname + location.search) return;
  history.pushState(null, '', href);
  place.value = here();
  scrollTo(0, 0);
  // A reader that cannot see has to learn that the page is another one now.
  requestAnimationFrame(() => {
    if (document.activeElement instanceof HTMLInputElement) return;
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  });
}

/** Changes the address without a new entry in the history, for filters. */
export function adjust(href: string): void {
  history.replaceState(null, '', href);
  place.value = here();
}

export function itemHref(pipeline: string, key: string): string {
  return `/item?${new URLSearchParams({ pipeline, key })}`;
}

addEventListener('popstate', () => {
  place.value = here();
});

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.target !== '' || link.origin !== location.origin) return;
  if (link.hash !== '' && link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
