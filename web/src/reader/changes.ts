import { signal } from '@preact/signals';
import { MAX_CHANGED_IDS } from '../../../src/reader/entry-store.ts';
import { problemText } from '../server-text.ts';
import { onPersonChange } from '../session.ts';
import { type ReadAllScope, readerApi, type StateKind } from './api.ts';
import { refreshOverviewSoon } from './overview.ts';
import {
  applyReadAll,
  applyState,
  restore,
  type Snapshot,
  type StatefulEntry,
  stateOf,
  whileSaving,
} from './states.ts';

export interface Toast {
  readonly text: string;
  readonly failed: boolean;
  /** Shown with an "Undo" button. */
  readonly undoable: boolean;
}

/** What was done last, or why it failed. */
export const toast = signal<Toast | null>(null);
/** How many changes `undoLast` can take back. */
export const undoDepth = signal(0);

interface Done {
  readonly tokens: readonly string[];
  readonly before: Snapshot;
}

const MAX_UNDO = 50;
/** Time to read a toast and to reach its button. */
const TOAST_MS = 12_000;

let done: Done[] = [];
/** Changes that this page has taken back, and whose event it has not received yet. */
let ownUndos = 0;
let hideToast: ReturnType<typeof setTimeout> | undefined;

/** Toggles of one entry are their own way back, so they are told without a toast. */
export function toggleRead(entry: StatefulEntry): Promise<void> {
  return setState(stateOf(entry).read ? 'unread' : 'read', [entry.id]);
}

export function toggleStar(entry: StatefulEntry): Promise<void> {
  return setState(stateOf(entry).starredAt === null ? 'star' : 'unstar', [entry.id]);
}

export function toggleLater(entry: StatefulEntry): Promise<void> {
  return setState(stateOf(entry).laterAt === null ? 'later' : 'notLater', [entry.id]);
}

/** Opening an entry reads it. */
export function markOpened(entry: StatefulEntry): void {
  if (!stateOf(entry).read) void setState('read', [entry.id]);
}

/** `say` tells how many became read. */
export async function markRead(entries: readonly StatefulEntry[], say: (n: number) => string): Promise<void> {
  const unread = entries.filter((entry) => !stateOf(entry).read).map(({ id }) => id);
  if (unread.length > 0) await setState('read', unread, say);
}

async function setState(kind: StateKind, ids: readonly number[], say?: (n: number) => string): Promise<void> {
  const before = applyState(kind, ids, Date.now());
  await send(before, say?.(before.size), async (tokens) => {
    for (let at = 0; at < ids.length; at += MAX_CHANGED_IDS) {
      const { undo } = await readerApi.setState(kind, ids.slice(at, at + MAX_CHANGED_IDS));
      if (undo !== null) tokens.push(undo);
    }
  });
}

/** Marks everything of a list as read that had arrived when it was shown; `shown` are read besides. */
export async function markAllRead(
  scope: ReadAllScope,
  text: string,
  shown: readonly StatefulEntry[] = [],
): Promise<void> {
  const ids = shown.filter((entry) => !stateOf(entry).read).map(({ id }) => id);
  const before = new Map([...applyReadAll(scope), ...applyState('read', ids, Date.now())]);
  await send(before, text, async (tokens) => {
    const { undo } = await readerApi.readAll(scope);
    if (undo !== null) tokens.push(undo);
    if (ids.length === 0) return;
    const more = await readerApi.setState('read', ids.slice(0, MAX_CHANGED_IDS));
    if (more.undo !== null) tokens.push(more.undo);
  });
}

async function send(
  before: Snapshot,
  text: string | undefined,
  request: (tokens: string[]) => Promise<void>,
): Promise<void> {
  const tokens: string[] = [];
  try {
    await whileSaving(before, () => request(tokens));
    if (tokens.length > 0) done = [{ tokens, before }, ...done].slice(0, MAX_UNDO);
    undoDepth.value = done.length;
    if (text !== undefined) say({ text, failed: false, undoable: tokens.length > 0 });
  } catch (error) {
    // What was not stored must not look as if it were.
    restore(before);
    say({ text: problemText(error), failed: true, undoable: false });
  }
  refreshOverviewSoon();
}

export async function undoLast(): Promise<void> {
  const [last, ...rest] = done;
  if (last === undefined) return;
  done = rest;
  undoDepth.value = done.length;
  toast.value = null;
  restore(last.before);
  try {
    await whileSaving(last.before, async () => {
      for (const token of last.tokens.toReversed()) {
        ownUndos += 1;
        await readerApi.undo(token);
      }
    });
  } catch (error) {
    ownUndos = 0;
    say({ text: problemText(error), failed: true, undoable: false });
  }
  refreshOverviewSoon();
}

/** Whether the event of a change that was taken back is about one of this page, which shows it already. */
export function isOwnUndo(): boolean {
  if (ownUndos === 0) return false;
  ownUndos -= 1;
  return true;
}

function say(next: Toast): void {
  clearTimeout(hideToast);
  toast.value = next;
  hideToast = setTimeout(() => {
    toast.value = null;
  }, TOAST_MS);
}

onPersonChange(() => {
  done = [];
  undoDepth.value = 0;
  toast.value = null;
});
