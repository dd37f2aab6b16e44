import { effect, signal } from '@preact/signals';
import { type LiveStatus, openStream } from '../event-stream.ts';
import { me } from '../session.ts';
import type { ReadAllScope, StateKind } from './api.ts';
import type { EntryList } from './entry-list.ts';
import { overview, refreshOverviewSoon } from './overview.ts';
import { applyReadAll, applyState } from './states.ts';

/** The list on the screen, whose new entries are counted. */
export const shownList = signal<EntryList | null>(null);
/** The stream of this person's reader; `paused` for guests, who have none. */
export const readerStatus = signal<LiveStatus>('paused');

/** Sources that are read together announce their entries together. */
const SETTLE_MS = 1_500;

type StateEvent = (
  | { readonly kind: StateKind; readonly ids: readonly number[] }
  | ({ readonly kind: 'readAll' } & ReadAllScope)
) & { readonly undo?: true };

const REVERSED: Readonly<Record<StateKind, StateKind>> = {
  read: 'unread',
  unread: 'read',
  star: 'unstar',
  unstar: 'star',
  later: 'notLater',
  notLater: 'later',
};

let settle: ReturnType<typeof setTimeout> | undefined;

function entriesArrived(): void {
  clearTimeout(settle);
  settle = setTimeout(() => {
    refreshOverviewSoon();
    void shownList.value?.lookForNew();
  }, SETTLE_MS);
}

function stateChanged(change: StateEvent): void {
  if (change.kind === 'readAll') {
    // Which ones were unread before is known to the newsroom alone.
    if (change.undo) void shownList.value?.loadFirst();
    else applyReadAll(change);
  } else applyState(change.undo ? REVERSED[change.kind] : change.kind, change.ids, Date.now());
  refreshOverviewSoon();
}

/** Listens while somebody is signed in. */
export function listenToReader(): void {
  effect(() => {
    if (me.value === null) {
      readerStatus.value = 'paused';
      return;
    }
    return openStream({
      url: () => '/events/reader',
      status: (next) => {
        // What happened while there was no stream is not told again.
        if (next === 'live' && readerStatus.peek() !== 'live' && overview.peek() !== null) entriesArrived();
        readerStatus.value = next;
      },
      on: {
        entries: entriesArrived,
        state: (data) => {
          if (isStateEvent(data)) stateChanged(data);
        },
        sources: refreshOverviewSoon,
      },
    });
  });
}

function isStateEvent(data: unknown): data is StateEvent {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  if (data.kind === 'readAll') return 'upTo' in data && typeof data.upTo === 'number';
  return typeof data.kind === 'string' && data.kind in REVERSED && 'ids' in data && Array.isArray(data.ids);
}
