import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { Write } from '../../firestore/connection.ts';
import type { State } from '../../item/lifecycle.ts';
import { isUnderWay, withoutItems } from '../../outbox/message-record.ts';
import { type ItemRecord, tombstoneOf } from '../item-record.ts';
import type { SweepPlan, SweepReport } from '../ledger.ts';
import { limitsOf } from '../sweep-plan.ts';
import { storedOf, tombstoneDocument } from './document.ts';
import { messageDocument, messagesOf } from './messages.ts';
import { startBehind } from './pages.ts';
import type { LedgerStore } from './store.ts';

/** Each item is a delete and a tombstone, and some have messages: well under 500 writes a commit. */
const PAGE = 150;

export async function sweep(store: LedgerStore, plan: SweepPlan): Promise<SweepReport> {
  const now = store.clock.now();
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  for (const { state, before } of limitsOf(plan, now)) {
    let after: readonly unknown[] | undefined;
    for (;;) {
      if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
      const page = await store.connection.query(store.queries.old, {
        where: [state, before],
        limit: PAGE,
        ...(after !== undefined && { startAfter: after }),
      });
      const ended = await sweepPage(store, page, plan, now);
      if (ended > 0) {
        swept[state] = (swept[state] ?? 0) + ended;
        done += ended;
        plan.onProgress?.(done);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = startBehind(last, store.queries.old);
    }
  }
  return sweepGraves(store, plan, now, swept);
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
    const stored = storedOf(snapshot);
    // What another program changed meanwhile is another item now; the next sweep decides on it.
    const isOther = store.adoption(snapshot).length > 0;
    return stored === null || isOther || busy.has(stored.item.key) ? [] : [{ snapshot, stored }];
  });
  if (plan.dryRun || ends.length === 0) return ends.length;
  await store.metSources.addFrom(ends.map(({ stored }) => stored));
  const gone = new Set(ends.map(({ stored }) => stored.item.key));
  const writes = ends.flatMap(({ snapshot, stored }) => endOf(store, snapshot, stored, plan, now));
  for (const { snapshot, message } of messages) {
    const next = withoutItems(message, gone);
    const at = [store.layout.outbox, snapshot.id] as const;
    if (next === null) writes.push({ do: 'delete', at });
    else if (next !== message)
      writes.push({ do: 'patch', at, data: messageDocument(next, store.layout.idOf) });
  }
  // Somebody changed one of them meanwhile: the next sweep will see it as it is then.
  return (await store.connection.commit(writes)) === 'committed' ? ends.length : 0;
}

function endOf(
  store: LedgerStore,
  snapshot: QueryDocumentSnapshot,
  record: ItemRecord,
  plan: SweepPlan,
  now: number,
): Write[] {
  const { key } = record.item;
  const gone: Write = { do: 'delete', at: store.placeOf(key), asOf: snapshot.updateTime };
  const tombstone = tombstoneOf(record, plan, now);
  if (tombstone === null) return [gone];
  return [gone, { do: 'set', at: store.graveOf(key), data: tombstoneDocument(tombstone) }];
}

async function sweepGraves(
  store: LedgerStore,
  plan: SweepPlan,
  now: number,
  swept: SweepReport['swept'],
): Promise<SweepReport> {
  const before = now - plan.keepTombstones;
  if (plan.dryRun) {
    const tombstonesRemoved = await store.connection.count(store.queries.oldGraves, [before]);
    return { swept, tombstonesRemoved, complete: true };
  }
  let tombstonesRemoved = 0;
  for (;;) {
    if (plan.signal?.aborted) return { swept, tombstonesRemoved, complete: false };
    const page = await store.connection.query(store.queries.oldGraves, { where: [before], limit: PAGE });
    await store.connection.commit(
      page.map(({ id }): Write => ({ do: 'delete', at: [store.layout.tombstones, id] })),
    );
    tombstonesRemoved += page.length;
    if (page.length < PAGE) return { swept, tombstonesRemoved, complete: true };
  }
}
