import { batch, signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export const place = signal<Place>(here());
/** Whether the page was reached by the browser's Back or Forward, so that it shows what it showed before. */
export const returned = signal(false);

/** A page that was scrolled and is come back to shows the same place; the browser would do so before the rows are there. */
history.scrollRestoration = 'manual';

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export function go(href: string): void {
  if (href === location.pathname + location.search) return;
  rememberScroll();
  history.pushState(null, '', href);
  arrive();
}

/** Goes to a page in place of this one: Back leads to where this one was opened from. */
export function replace(href: string): void {
  if (href === location.pathname + location.search) return;
  history.replaceState(null, '', href);
  arrive();
}

function arrive(): void {
  batch(() => {
    returned.value = false;
    place.value = here();
  });
  scrollTo(0, 0);
  // A reader that cannot see has to learn that the page is another one now.
  requestAnimationFrame(() => {
    if (document.activeElement instanceof HTMLInputElement) return;
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  });
}

/** Changes the address without a new entry in the history, for filters. */
export function adjust(href: string): void {
  history.replaceState(history.state, '', href);
  place.value = here();
}

export function itemHref(pipeline: string, key: string): string {
  return `/item?${new URLSearchParams({ pipeline, key })}`;
}

function rememberScroll(): void {
  history.replaceState({ scrolled: scrollY }, '');
}

function scrolledBefore(): number {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null || !('scrolled' in state)) return 0;
  return typeof state.scrolled === 'number' ? state.scrolled : 0;
}

addEventListener('pagehide', rememberScroll);

let settle: ReturnType<typeof setTimeout> | undefined;
addEventListener(
  'scroll',
  () => {
    clearTimeout(settle);
    settle = setTimeout(rememberScroll, 150);
  },
  { passive: true },
);

addEventListener('popstate', () => {
  const y = scrolledBefore();
  clearTimeout(settle);
  batch(() => {
    returned.value = true;
    place.value = here();
  });
  requestAnimationFrame(() => scrollTo(0, y));
});

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.target !== '' || link.origin !== location.origin || link.hasAttribute('download')) return;
  if (link.hash !== '' && link.pathname === location.pathname) return;
  event.preventDefault();
  if (link.dataset.replace === undefined) go(link.pathname + link.search);
  else replace(link.pathname + link.search);
});
