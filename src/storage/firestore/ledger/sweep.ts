import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { State } from '../../../item/lifecycle.ts';
import { type ItemRecord, tombstoneOf } from '../../../ledger/item-record.ts';
import type { SweepPlan, SweepReport } from '../../../ledger/ledger.ts';
import { sweepLimits } from '../../../ledger/sweep-plan.ts';
import { isUnderWay, withoutItems } from '../../../outbox/message-record.ts';
import type { Write } from '../connection.ts';
import { messageDocument, messagesOf } from '../outbox-messages.ts';
import { recordOfDocument, tombstoneDocument } from './document.ts';
import type { LedgerStore } from './ledger-store.ts';
import { startAfterDocument } from './queries.ts';

/** Each item is a delete and a tombstone, and some have messages: well under 500 writes a commit. */
const PAGE_SIZE = 150;

export async function sweep(store: LedgerStore, plan: SweepPlan): Promise<SweepReport> {
  const now = store.clock.now();
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  for (const { state, before } of sweepLimits(plan, now)) {
    let after: readonly unknown[] | undefined;
    for (;;) {
      if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
      const page = await store.connection.query(store.queries.old, {
        where: [state, before],
        limit: PAGE_SIZE,
        ...(after !== undefined && { startAfter: after }),
      });
      const ended = await sweepPage(store, page, plan, now);
      if (ended > 0) {
        swept[state] = (swept[state] ?? 0) + ended;
        done += ended;
        plan.onProgress?.(done);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) break;
      after = startAfterDocument(last, store.queries.old);
    }
  }
  return sweepTombstones(store, plan, now, swept);
}

async function sweepPage(
  store: LedgerStore,
  page: readonly QueryDocumentSnapshot[],
  plan: SweepPlan,
  now: number,
): Promise<number> {
  const messages = await messagesOf(
    store,
    page.map(({ id }) => id),
  );
  const busy = new Set(
    messages
      .filter(({ message }) => isUnderWay(message.delivery.state))
      .flatMap(({ message }) => message.delivery.itemKeys),
  );
  const ends = page.flatMap((snapshot) => {
    const stored = recordOfDocument(snapshot);
    // An item that another program changed meanwhile is left to the next sweep.
    const isOther = store.adoption(snapshot).length > 0;
    return stored === null || isOther || busy.has(stored.item.key) ? [] : [{ snapshot, stored }];
  });
  if (plan.dryRun || ends.length === 0) return ends.length;
  await store.seenSources.addFrom(ends.map(({ stored }) => stored));
  const swept = new Set(ends.map(({ stored }) => stored.item.key));
  const writes = ends.flatMap(({ snapshot, stored }) => sweepWrites(store, snapshot, stored, plan, now));
  for (const { snapshot, message } of messages) {
    const next = withoutItems(message, swept);
    const at = [store.layout.outbox, snapshot.id] as const;
    if (next === null) writes.push({ do: 'delete', at });
    else if (next !== message)
      writes.push({ do: 'patch', at, data: messageDocument(next, store.layout.idOf) });
  }
  // One of them was changed meanwhile: the next sweep decides on its new state.
  return (await store.connection.commit(writes)) === 'committed' ? ends.length : 0;
}

function sweepWrites(
  store: LedgerStore,
  snapshot: QueryDocumentSnapshot,
  record: ItemRecord,
  plan: SweepPlan,
  now: number,
): Write[] {
  const { key } = record.item;
  const deletion: Write = { do: 'delete', at: store.itemPath(key), asOf: snapshot.updateTime };
  const tombstone = tombstoneOf(record, plan, now);
  if (tombstone === null) return [deletion];
  return [deletion, { do: 'set', at: store.tombstonePath(key), data: tombstoneDocument(tombstone) }];
}

async function sweepTombstones(
  store: LedgerStore,
  plan: SweepPlan,
  now: number,
  swept: SweepReport['swept'],
): Promise<SweepReport> {
  const before = now - plan.keepTombstones;
  if (plan.dryRun) {
    const tombstonesRemoved = await store.connection.count(store.queries.oldTombstones, [before]);
    return { swept, tombstonesRemoved, complete: true };
  }
  let tombstonesRemoved = 0;
  for (;;) {
    if (plan.signal?.aborted) return { swept, tombstonesRemoved, complete: false };
    const page = await store.connection.query(store.queries.oldTombstones, {
      where: [before],
      limit: PAGE_SIZE,
    });
    await store.connection.commit(
      page.map(({ id }): Write => ({ do: 'delete', at: [store.layout.tombstones, id] })),
    );
    tombstonesRemoved += page.length;
    if (page.length < PAGE_SIZE) return { swept, tombstonesRemoved, complete: true };
  }
}
