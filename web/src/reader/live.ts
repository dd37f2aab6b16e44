import { computed, effect, signal } from '@preact/signals';
import type { ShownChange } from '../../../src/reader/reader-events.ts';
import { type LiveStatus, openStream } from '../event-stream.ts';
import { place } from '../router.ts';
import { guests, me, meKnown } from '../session.ts';
import { isOwnUndo } from './changes.ts';
import type { EntryList } from './entry-list.ts';
import { refreshOverviewSoon } from './overview.ts';
import { applyReadAll, applyState } from './states.ts';

/** The list on the screen, whose new entries are counted. */
export const shownList = signal<EntryList | null>(null);
/** The stream of this person's reader; `paused` for guests, who have none. */
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
  else if (!isOwnUndo()) {
    // Which ones were unread before is known to the newsroom alone.
    statesLost.value += 1;
    void shownList.value?.rereadStates();
  }
  refreshOverviewSoon();
}

/** Guests follow the stream of a timeline on all pages but those of the reader. */
const READER_PATHS = ['/reader', '/article', '/search'];

const listening = computed(
  () => meKnown.value && (me.value !== null || (guests.value && READER_PATHS.includes(place.value.path))),
);

export function listenToReader(): void {
  effect(() => {
    // Another person gets another stream.
    if (!listening.value || me.value === undefined) {
      readerStatus.value = 'paused';
      return;
    }
    return openStream({
      url: () => '/events/reader',
      status: (next) => {
        readerStatus.value = next;
      },
      on: {
        // The first event of every connection, too: what happened before is not repeated.
        entries: entriesArrived,
        state: (data) => {
          if (isChange(data)) stateChanged(data);
        },
        sources: refreshOverviewSoon,
      },
    });
  });
}

function isChange(data: unknown): data is ShownChange {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  if (data.kind === 'readAll') return 'upTo' in data && typeof data.upTo === 'number';
  return 'ids' in data && Array.isArray(data.ids);
}
