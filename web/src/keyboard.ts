import { signal } from '@preact/signals';
import { undo, undoable } from './hidden-stories.ts';
import { current } from './live-timeline.ts';
import { go } from './router.ts';

export const keysOpen = signal(false);

const PAGES: Readonly<Record<string, string>> = {
  n: '/',
  h: '/home',
  l: '/',
  w: '/global',
  t: '/stories',
  p: '/pipelines',
  i: '/items',
  s: '/sources',
};
/** `g` waits this long for the letter of the page. */
const SECOND_KEY_WITHIN = 3_000;

let pressedG = Number.NEGATIVE_INFINITY;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isCovered()) return;
    if (press(event.key, event.timeStamp)) event.preventDefault();
  });
}

function press(key: string, at: number): boolean {
  const page = at - pressedG < SECOND_KEY_WITHIN ? PAGES[key] : undefined;
  pressedG = key === 'g' ? at : Number.NEGATIVE_INFINITY;
  if (page !== undefined) {
    go(page);
    return true;
  }
  switch (key) {
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'o':
      return follow('[data-open]');
    case 'w':
      return follow('[data-why]');
    case 'h':
      return hideRow();
    case 'u':
      if (undoable.value.length === 0) return false;
      void undo();
      return true;
    case '.':
      if (current.value.waitingCount.value === 0) return false;
      void current.value.showNew().then(() => scrollTo({ top: 0 }));
      return true;
    case '/': {
      const search = document.querySelector<HTMLInputElement>('input[type=search]');
      if (search) search.focus();
      else go('/items');
      return true;
    }
    case '?':
      keysOpen.value = true;
      return true;
    default:
      return false;
  }
}

/** The rows that j and k walk through: drops, items, sources. */
function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')];
}

function move(by: 1 | -1): boolean {
  const all = rows();
  if (all.length === 0) return false;
  const current = all.findIndex((row) => row.contains(document.activeElement));
  const visible = all.findIndex((row) => row.getBoundingClientRect().bottom > 120);
  const next = current === -1 ? visible : current + by;
  const row = all[Math.min(Math.max(next, 0), all.length - 1)];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Hides the row with the focus, and goes on to the next one. */
function hideRow(): boolean {
  const row = rows().find((candidate) => candidate.contains(document.activeElement));
  const button = row?.querySelector<HTMLButtonElement>('[data-hide]');
  if (!button) return false;
  move(1);
  button.click();
  return true;
}

function follow(selector: string): boolean {
  const row = rows().find((candidate) => candidate.contains(document.activeElement));
  const link = (row ?? document).querySelector<HTMLAnchorElement>(selector);
  link?.click();
  return link !== null;
}

/** An open dialog has the keys to itself. What is open is asked of the page: a dialog tells of its closing only later. */
function isCovered(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null;
}
