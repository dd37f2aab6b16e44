import { signal } from '@preact/signals';
import { undoable as hiddenStories, undo as showStoryAgain } from './hidden-stories.ts';
import { undoDepth, undoLast } from './reader/changes.ts';
import { readerHref } from './reader/scope.ts';
import { go, place } from './router.ts';
import type { Words } from './words/words.ts';

export const keysOpen = signal(false);

type KeyGroup = keyof Words['reader']['keyGroups'];

/** A key and what it does: the handler and the list of keys both use this table. */
export interface KeyBinding {
  /** As `KeyboardEvent.key` names them; two are pressed one after the other. */
  readonly keys: readonly [string] | readonly [string, string];
  readonly group: KeyGroup;
  readonly words: (w: Words) => string;
  /** False if there is nothing to do here; the browser gets the key then. */
  readonly run: () => boolean;
}

const toPage = (key: string, href: string, words: (w: Words) => string): KeyBinding => ({
  keys: ['g', key],
  group: 'go',
  words,
  run: () => {
    go(href);
    return true;
  },
});

export const KEY_BINDINGS: readonly KeyBinding[] = [
  { keys: ['j'], group: 'move', words: (w) => w.reader.keys.next, run: () => step(1, 'any') },
  { keys: ['k'], group: 'move', words: (w) => w.reader.keys.previous, run: () => step(-1, 'any') },
  { keys: ['n'], group: 'move', words: (w) => w.reader.keys.nextUnread, run: () => step(1, 'unread') },
  { keys: ['p'], group: 'move', words: (w) => w.reader.keys.previousUnread, run: () => step(-1, 'unread') },
  { keys: ['o'], group: 'entry', words: (w) => w.reader.keys.open, run: () => press('[data-open]') },
  { keys: ['Enter'], group: 'entry', words: (w) => w.reader.keys.open, run: openFocused },
  { keys: ['v'], group: 'entry', words: (w) => w.reader.keys.original, run: () => press('[data-original]') },
  { keys: ['w'], group: 'entry', words: (w) => w.reader.keys.why, run: () => press('[data-why]') },
  { keys: ['m'], group: 'entry', words: (w) => w.reader.keys.read, run: () => press('[data-act="read"]') },
  { keys: ['s'], group: 'entry', words: (w) => w.reader.keys.star, run: () => press('[data-act="star"]') },
  { keys: ['l'], group: 'entry', words: (w) => w.reader.keys.later, run: () => press('[data-act="later"]') },
  { keys: ['x'], group: 'entry', words: (w) => w.reader.keys.split, run: () => press('[data-act="split"]') },
  { keys: ['y'], group: 'entry', words: (w) => w.reader.keys.join, run: () => press('[data-act="join"]') },
  { keys: ['h'], group: 'entry', words: (w) => w.reader.keys.hide, run: hideStory },
  {
    keys: ['A'],
    group: 'list',
    words: (w) => w.reader.keys.markAll,
    run: () => pressInPage('[data-act="mark-all"]'),
  },
  {
    keys: ['r'],
    group: 'list',
    words: (w) => w.reader.keys.refresh,
    run: () => pressInPage('[data-act="refresh"]'),
  },
  {
    keys: ['.'],
    group: 'list',
    words: (w) => w.reader.keys.showNew,
    run: () => pressInPage('[data-act="show-new"]'),
  },
  { keys: ['u'], group: 'list', words: (w) => w.reader.keys.undo, run: undo },
  toPage('h', '/home', (w) => w.reader.nav.home),
  toPage('u', readerHref({ view: 'unread' }), (w) => w.reader.nav.unread),
  toPage('a', readerHref({ view: 'all' }), (w) => w.reader.nav.all),
  toPage('s', readerHref({ view: 'starred' }), (w) => w.reader.nav.starred),
  toPage('l', readerHref({ view: 'later' }), (w) => w.reader.nav.later),
  toPage('o', readerHref({ view: 'hot' }), (w) => w.reader.nav.hot),
  toPage('n', '/', (w) => w.reader.nav.local),
  toPage('w', '/global', (w) => w.reader.nav.global),
  toPage('t', '/stories', (w) => w.reader.nav.stories),
  toPage('p', '/pipelines', (w) => w.reader.nav.pipelines),
  toPage('i', '/items', (w) => w.reader.nav.items),
  toPage('f', '/sources', (w) => w.reader.nav.sources),
  { keys: ['/'], group: 'other', words: (w) => w.reader.keys.search, run: search },
  {
    keys: ['?'],
    group: 'other',
    words: (w) => w.reader.keys.help,
    run: () => {
      keysOpen.value = true;
      return true;
    },
  },
];

/** The second key of two counts within this time. */
const SECOND_KEY_MS = 3_000;

let first: { readonly key: string; readonly at: number } | null = null;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isCovered()) return;
    if (handle(event.key, event.timeStamp)) event.preventDefault();
  });
}

function handle(key: string, at: number): boolean {
  const before = first !== null && at - first.at < SECOND_KEY_MS ? first.key : null;
  first = null;
  const pair = KEY_BINDINGS.find(({ keys }) => keys.length === 2 && keys[0] === before && keys[1] === key);
  if (pair) return pair.run();
  if (KEY_BINDINGS.some(({ keys }) => keys.length === 2 && keys[0] === key)) {
    first = { key, at };
    return true;
  }
  return KEY_BINDINGS.find(({ keys }) => keys.length === 1 && keys[0] === key)?.run() ?? false;
}

/** The rows that can have the focus: entries, drops, items, sources. */
function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')];
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
}

/** In an article to the next one; in a list to the next row. */
function step(by: 1 | -1, which: 'any' | 'unread'): boolean {
  const direction = by === 1 ? 'next' : 'previous';
  if (document.querySelector('[data-article]') !== null)
    return pressInPage(`[data-go="${direction}${which === 'unread' ? '-unread' : ''}"]`);
  const all = rows();
  const focused = focusedRow();
  const at = focused === null ? -1 : all.indexOf(focused);
  const visible = all.findIndex((row) => row.getBoundingClientRect().bottom > 120);
  const begin = at === -1 ? Math.max(0, visible) : at + by;
  const fits = (row: HTMLElement | undefined): boolean =>
    row !== undefined && (which === 'any' || row.dataset.unread !== undefined);
  let next = begin;
  while (next >= 0 && next < all.length && !fits(all[next])) next += by;
  const row = all[next];
  if (row === undefined) return all.length > 0;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Enter on a row opens it; on a link or a button it does what it always does. */
function openFocused(): boolean {
  return document.activeElement?.matches('[data-row]') === true && press('[data-open]');
}

/** Clicks in the focused row, or in the article that is open. */
function press(selector: string): boolean {
  const within = focusedRow() ?? document.querySelector('[data-article]');
  return click(within?.querySelector<HTMLElement>(selector) ?? null);
}

function pressInPage(selector: string): boolean {
  return click(document.querySelector<HTMLElement>(selector));
}

function click(element: HTMLElement | null): boolean {
  element?.click();
  return element !== null;
}

/** Hides the story with the focus, and goes on to the next one. */
function hideStory(): boolean {
  const button = focusedRow()?.querySelector<HTMLButtonElement>('[data-hide]');
  if (!button) return false;
  step(1, 'any');
  button.click();
  return true;
}

function undo(): boolean {
  if (place.value.path === '/stories' && hiddenStories.value.length > 0) void showStoryAgain();
  else if (undoDepth.value > 0) void undoLast();
  else return false;
  return true;
}

function search(): boolean {
  // Other pages filter their own lists by such a field.
  const box =
    place.value.path === '/search'
      ? document.querySelector<HTMLInputElement>('main input[type=search]')
      : null;
  if (box === null) go('/search');
  else {
    box.focus();
    box.select();
  }
  return true;
}

/** An open dialog has the keys to itself. What is open is asked of the page: a dialog reports its closing only later. */
function isCovered(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null;
}
