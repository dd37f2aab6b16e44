import { signal } from '@preact/signals';
import { MAX_CHANGED_IDS } from '../../../src/reader/entry-store.ts';
import { ApiError } from '../api.ts';
import { problemText } from '../server-text.ts';
import { me, onPersonChange } from '../session.ts';
import { words } from '../words/words.ts';
import { type ReactionRequest, type ReadAllScope, readerApi, type StateKind } from './api.ts';
import { refreshOverviewSoon } from './overview.ts';
import {
  applyReadAll,
  applyState,
  changedStories,
  restore,
  type Snapshot,
  type StatefulEntry,
  stateOf,
  whileSaving,
} from './states.ts';
import {
  addWaiting,
  type ChangeRequest,
  reloadWaiting,
  removeFirstRequest,
  removeWaiting,
  type WaitingChange,
  waiting,
} from './waiting.ts';

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
/** Grows when waiting changes were sent or refused: the states of the newsroom are others now. */
export const waitingSent = signal(0);

interface Done {
  /** ID of the change, which may still be waiting. */
  readonly id: string;
  readonly tokens: string[];
  readonly before: Snapshot;
  /** Ends when the change was answered or waits. */
  readonly saved: Promise<Outcome>;
  /** Takes it back in another way than by its tokens. */
  readonly takeBack?: () => Promise<unknown>;
}

/** A change that waits is `changed` too. */
type Outcome = 'changed' | 'unchanged' | 'failed';

const MAX_UNDO = 50;
/** Time to read a toast and to reach its button. */
const TOAST_MS = 12_000;
/** How long a change is sent again that the newsroom fails to store. */
const MAX_RETRY_MS = 7 * 24 * 60 * 60 * 1000;

let done: readonly Done[] = [];
/** Changes that this page has taken back, and whose event it has not received yet. */
let ownUndos = 0;
let hideToast: ReturnType<typeof setTimeout> | undefined;
/** Changes that are being sent for the first time; the waiting ones are sent after them. */
let attempts = 0;
let sending: Promise<void> | null = null;

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

/** "More like this" and "less like this": what the newsroom learns from. Can be taken back. */
export async function react(entry: StatefulEntry, reaction: 'more' | 'less'): Promise<void> {
  const w = words.peek().reader.learning;
  await perform(reactionRequest(entry, reaction), new Map(), {
    text: w.done[reaction],
    unchangedText: w.unchanged,
  });
}

/** The person has read the text to its end. Nothing to take back by a key: it was not done on purpose. */
export async function finished(entry: StatefulEntry): Promise<void> {
  await perform(reactionRequest(entry, 'finished'), new Map(), { undoable: false });
}

function reactionRequest({ id }: StatefulEntry, reaction: ReactionRequest): readonly ChangeRequest[] {
  return [{ kind: 'reaction', reaction, ids: [id] }];
}

/** `say` tells how many became read. */
export async function markRead(entries: readonly StatefulEntry[], say: (n: number) => string): Promise<void> {
  const unread = entries.filter((entry) => !stateOf(entry).read).map(({ id }) => id);
  if (unread.length > 0) await setState('read', unread, say);
}

async function setState(kind: StateKind, ids: readonly number[], say?: (n: number) => string): Promise<void> {
  const before = applyState(kind, ids, Date.now());
  await perform(stateRequests(kind, ids), before, { text: say?.(before.size) });
}

/** Marks everything of a list as read that had arrived when it was shown; `shown` are read besides. */
export async function markAllRead(
  scope: ReadAllScope,
  text: string,
  shown: readonly StatefulEntry[] = [],
): Promise<void> {
  const ids = shown.filter((entry) => !stateOf(entry).read).map(({ id }) => id);
  const before = new Map([...applyReadAll(scope), ...applyState('read', ids, Date.now())]);
  const more = stateRequests('read', ids.slice(0, MAX_CHANGED_IDS));
  await perform([{ kind: 'readAll', scope }, ...more], before, { text });
}

function stateRequests(state: StateKind, ids: readonly number[]): readonly ChangeRequest[] {
  const requests: ChangeRequest[] = [];
  for (let at = 0; at < ids.length; at += MAX_CHANGED_IDS)
    requests.push({ kind: 'state', state, ids: ids.slice(at, at + MAX_CHANGED_IDS) });
  return requests;
}

export async function undoLast(): Promise<void> {
  const [last, ...rest] = done;
  if (last === undefined) return;
  done = rest;
  undoDepth.value = done.length;
  toast.value = null;
  if ((await last.saved) !== 'changed') return;
  if (last.takeBack !== undefined) {
    await last.takeBack().catch((error: unknown) => {
      say({ text: problemText(error), failed: true, undoable: false });
    });
    return;
  }
  // It may be on its way just now.
  if (waiting.value.some(({ id }) => id === last.id)) await sending;
  removeWaiting(last.id);
  const before = restore(last.before);
  const requests = last.tokens.toReversed().map((token) => ({ kind: 'undo', token }) as const);
  if (requests.length > 0) await perform(requests, before, { undoable: false });
  else refreshOverviewSoon();
}

/**
 * Sends a change whose states are shown already. If the newsroom cannot be reached, the change waits. It can be taken
 * back from now on, before it was answered: the last one to take back is the one that was made last.
 */
async function perform(
  requests: readonly ChangeRequest[],
  before: Snapshot,
  options: {
    readonly text?: string | undefined;
    /** Where the newsroom changed nothing; default `text`. */
    readonly unchangedText?: string;
    readonly undoable?: boolean;
  },
): Promise<void> {
  const { text, unchangedText = text } = options;
  const id = `${Date.now()}-${Math.random()}`;
  const change = { id, at: Date.now(), requests, stories: changedStories(before) };
  const tokens: string[] = [];
  const saved = save(change, before, tokens);
  if (options.undoable !== false) done = [{ id, tokens, before, saved }, ...done].slice(0, MAX_UNDO);
  undoDepth.value = done.length;
  const outcome = await saved;
  const undoable = outcome === 'changed' && done.some((each) => each.id === id);
  if (outcome !== 'changed') forgetUndo((each) => each.id === id);
  // Of a change that was taken back meanwhile there is nothing to say.
  const said = undoable ? text : outcome === 'unchanged' ? unchangedText : undefined;
  if (said !== undefined) say({ text: said, failed: false, undoable });
  refreshOverviewSoon();
  void sendWaiting();
}

async function save(change: WaitingChange, before: Snapshot, tokens: string[]): Promise<Outcome> {
  try {
    let isWaiting = false;
    await whileSaving(before, async () => {
      isWaiting = !(await sendNow(change, tokens));
    });
    return isWaiting || tokens.length > 0 ? 'changed' : 'unchanged';
  } catch (error) {
    // What was not stored must not look as if it were.
    restore(before);
    ownUndos = 0;
    say({ text: problemText(error), failed: true, undoable: false });
    return 'failed';
  }
}

/** False if it could not be sent, and waits. Behind others that wait it keeps its place. */
async function sendNow(change: WaitingChange, tokens: string[]): Promise<boolean> {
  let sent = 0;
  attempts += 1;
  try {
    if (waiting.peek().length === 0)
      for (; sent < change.requests.length; sent++) await sendRequest(change.requests[sent], tokens);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  } finally {
    attempts -= 1;
  }
  if (sent === change.requests.length) return true;
  if (addWaiting({ ...change, requests: change.requests.slice(sent) })) return false;
  throw new ApiError(words.peek().reader.tooManyWaiting, 507);
}

async function sendRequest(request: ChangeRequest | undefined, tokens: string[]): Promise<void> {
  switch (request?.kind) {
    case 'state':
    case 'reaction':
    case 'readAll': {
      const { undo } =
        request.kind === 'readAll'
          ? await readerApi.readAll(request.scope)
          : await readerApi.setState(
              request.kind === 'state' ? request.state : request.reaction,
              request.ids,
            );
      if (undo !== null) tokens.push(undo);
      return;
    }
    case 'undo':
      ownUndos += 1;
      await readerApi.undo(request.token);
  }
}

/** Sends the changes that wait, in their order, until one cannot be sent. Only one tab at a time does. */
export async function sendWaiting(): Promise<void> {
  const person = me.peek()?.userId;
  if (sending !== null || attempts > 0 || person === undefined || waiting.peek().length === 0) return;
  const work = async (lock: unknown): Promise<void> => {
    if (lock !== null) await sendInOrder(person);
  };
  // Pages that are not served securely have no locks.
  sending =
    'locks' in navigator
      ? navigator.locks.request(`kawaraban changes ${person}`, { ifAvailable: true }, work)
      : work(undefined);
  try {
    await sending;
  } finally {
    sending = null;
  }
}

async function sendInOrder(person: string): Promise<void> {
  let sent = 0;
  let refused = 0;
  let reason = '';
  for (
    let [next] = reloadWaiting();
    next !== undefined && me.peek()?.userId === person;
    [next] = reloadWaiting()
  )
    try {
      await sendChange(next);
      sent += 1;
    } catch (error) {
      if (!isRefusal(error, next)) break;
      removeWaiting(next.id);
      forgetUndo(({ id }) => id === next?.id);
      refused += 1;
      reason = problemText(error);
    }
  if (refused > 0) say({ text: words.peek().reader.refused(refused, reason), failed: true, undoable: false });
  if (sent + refused === 0) return;
  waitingSent.value += 1;
  refreshOverviewSoon();
}

async function sendChange({ id, requests, stories }: WaitingChange): Promise<void> {
  const tokens: string[] = [];
  await whileSaving(new Map(stories.map((story) => [story.id, story.before])), async () => {
    for (const request of requests) {
      await sendRequest(request, tokens);
      done.find((each) => each.id === id)?.tokens.push(...tokens.splice(0));
      removeFirstRequest(id);
    }
    removeWaiting(id);
  });
  forgetUndo((each) => each.id === id && each.tokens.length === 0);
}

/** No connection, or a proxy whose newsroom does not answer. */
function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.offline || [502, 503, 504].includes(error.status));
}

/** The newsroom will not accept it: not after signing in, and not later. */
function isRefusal(error: unknown, { at }: WaitingChange): boolean {
  if (!(error instanceof ApiError) || isUnreachable(error)) return false;
  if (error.status >= 500) return Date.now() - at > MAX_RETRY_MS;
  return error.status >= 400 && ![401, 408, 429].includes(error.status);
}

function forgetUndo(isGone: (each: Done) => boolean): void {
  done = done.filter((each) => !isGone(each));
  undoDepth.value = done.length;
}

/** Whether the event of a change that was taken back is about one of this page, which shows it already. */
export function isOwnUndo(): boolean {
  if (ownUndos === 0) return false;
  ownUndos -= 1;
  return true;
}

/** Tells of a change that was made, and that is taken back in its own way. */
export function sayUndoable(text: string, takeBack: () => Promise<unknown>): void {
  const id = `${Date.now()}-${Math.random()}`;
  const saved = Promise.resolve('changed' as const);
  done = [{ id, tokens: [], before: new Map(), saved, takeBack }, ...done].slice(0, MAX_UNDO);
  undoDepth.value = done.length;
  say({ text, failed: false, undoable: true });
}

export function say(next: Toast): void {
  clearTimeout(hideToast);
  toast.value = next;
  hideToast = setTimeout(() => {
    toast.value = null;
  }, TOAST_MS);
}

/** Another tab has changed what waits. What it has sent can be taken back only there. */
addEventListener('storage', ({ key }) => {
  if (key !== null && !key.endsWith('.changes')) return;
  const before = new Set(waiting.peek().map(({ id }) => id));
  const now = reloadWaiting();
  for (const { requests } of now.filter(({ id }) => !before.has(id)))
    for (const request of requests) {
      if (request.kind === 'state') applyState(request.state, request.ids, Date.now());
      else if (request.kind === 'readAll') applyReadAll(request.scope);
    }
  forgetUndo(
    ({ id, tokens }) => before.has(id) && tokens.length === 0 && !now.some((change) => change.id === id),
  );
});

onPersonChange(() => {
  done = [];
  undoDepth.value = 0;
  toast.value = null;
});
