import { computed, effect, signal, untracked } from '@preact/signals';
import type { ShownChange } from '../../../src/reader/reader-events.ts';
import { onAnswer } from '../api.ts';
import type { LiveStatus } from '../event-stream.ts';
import { place } from '../router.ts';
import { guests, me, meKnown, onPersonChange } from '../session.ts';
import { openSharedStream } from '../shared-stream.ts';
import { isOwnUndo, sendWaiting, waitingSent } from './changes.ts';
import type { EntryList } from './entry-list.ts';
import { refreshOverviewSoon } from './overview.ts';
import { applyReadAll, applyState } from './states.ts';
import { storiesChanged } from './story-edits.ts';

/** The list on the screen, whose new entries are counted. */
export const shownList = signal<EntryList | null>(null);
/** State of the reader's stream. */
export const readerStatus = signal<LiveStatus>('paused');

/** Sources that are read together announce their entries together. */
const SETTLE_MS = 1_500;

/** Pages whose entries have no list of their own read the states again when this grows. */
export const statesLost = signal(0);

let settle: ReturnType<typeof setTimeout> | undefined;

function entriesArrived(): void {
  clearTimeout(settle);
  settle = setTimeout(() => {
    refreshOverviewSoon();
    void shownList.value?.lookForNew();
  }, SETTLE_MS);
}

function stateChanged(change: ShownChange): void {
  if (change.kind !== 'readAll') applyState(change.kind, change.ids, Date.now());
  else if (!change.undo) applyReadAll(change);
  // Which ones were unread before is known to the newsroom alone.
  else if (!isOwnUndo()) rereadStates();
  refreshOverviewSoon();
}

function storiesRegrouped(data: unknown): void {
  const ids = typeof data === 'object' && data !== null && 'ids' in data ? data.ids : null;
  if (!Array.isArray(ids)) return;
  storiesChanged.value += 1;
  refreshOverviewSoon();
  void shownList.value?.regroup(new Set(ids));
}

function rereadStates(): void {
  statesLost.value += 1;
  void shownList.value?.rereadStates();
}

/** The service worker has the list as it was before: read again, it has it as it is now. */
function statesSent(): void {
  untracked(() => {
    rereadStates();
    void shownList.value?.lookForNew();
  });
}

const READER_PATHS = ['/reader', '/article', '/search'];

/** Whether this page has the reader's stream. Guests have that of a timeline on all pages but those of the reader. */
export const listening = computed(
  () => meKnown.value && (me.value !== null || (guests.value && READER_PATHS.includes(place.value.path))),
);

export function listenToReader(): void {
  onAnswer(() => void sendWaiting());
  addEventListener('online', () => void sendWaiting());
  onPersonChange(() => void sendWaiting());
  effect(() => {
    if (waitingSent.value > 0) statesSent();
  });
  effect(() => {
    const person = me.value?.userId ?? 'guest';
    if (!listening.value) {
      readerStatus.value = 'paused';
      return;
    }
    let wasLive = false;
    return openSharedStream(`kawaraban reader ${person}`, {
      url: () => '/events/reader',
      status: (next) => {
        // What happened while there was no stream is not told again.
        if (next === 'live' && wasLive && readerStatus.peek() !== 'live') rereadStates();
        wasLive ||= next === 'live';
        if (next === 'live') void sendWaiting();
        readerStatus.value = next;
      },
      on: {
        entries: entriesArrived,
        state: (data) => {
          if (isChange(data)) stateChanged(data);
        },
        sources: refreshOverviewSoon,
        stories: (data) => storiesRegrouped(data),
      },
    });
  });
}

function isChange(data: unknown): data is ShownChange {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  if (data.kind === 'readAll') return 'upTo' in data && typeof data.upTo === 'number';
  return 'ids' in data && Array.isArray(data.ids);
}
