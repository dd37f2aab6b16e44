import type { Outbox } from '../../src/outbox/outbox.ts';
import type { SqlitePipelineStores } from '../../src/storage/sqlite/ledger/ledger.ts';

/** The same outbox, counting the durable writes of its calls. */
export function counted({ outbox, connection }: SqlitePipelineStores): {
  outbox: Outbox;
  writes: () => number;
} {
  let writes = 0;
  let inOutbox = false;
  const writeDurably = connection.writeDurably.bind(connection);
  connection.writeDurably = (work) => {
    if (inOutbox) writes++;
    return writeDurably(work);
  };
  // Each call of the outbox issues its write before it first awaits.
  const during = <T>(call: () => T): T => {
    inOutbox = true;
    try {
      return call();
    } finally {
      inOutbox = false;
    }
  };
  return {
    writes: () => writes,
    outbox: {
      abilities: outbox.abilities,
      nextDue: (destinations) => outbox.nextDue(destinations),
      enqueue: (messages) => during(() => outbox.enqueue(messages)),
      claimNext: (...asked) => during(() => outbox.claimNext(...asked)),
      markSending: (claim) => during(() => outbox.markSending(claim)),
      finish: (claim, outcome) => during(() => outbox.finish(claim, outcome)),
      finishAndClaimNext: (...asked) => during(() => outbox.finishAndClaimNext(...asked)),
      decide: (...decision) => outbox.decide(...decision),
      correctFutureTimes: (...ask) => outbox.correctFutureTimes(...ask),
      list: (filter) => outbox.list(filter),
      ofItem: (key) => outbox.ofItem(key),
      counts: () => outbox.counts(),
    },
  };
}
