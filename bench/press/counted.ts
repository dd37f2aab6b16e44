import type { SqliteMemory } from '../../src/ledger/sqlite/open.ts';
import type { OutboxStore } from '../../src/press/outbox.ts';

/** The same outbox, and how many writes to the disk itself its calls asked for. */
export function counted({ outbox, connection }: SqliteMemory): { outbox: OutboxStore; writes: () => number } {
  let writes = 0;
  let inOutbox = false;
  const writeDurably = connection.writeDurably.bind(connection);
  connection.writeDurably = (work) => {
    if (inOutbox) writes++;
    return writeDurably(work);
  };
  // Each call of the outbox asks for its write before it first waits.
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
      intend: (intents) => during(() => outbox.intend(intents)),
      take: (...asked) => during(() => outbox.take(...asked)),
      markSending: (held) => during(() => outbox.markSending(held)),
      settle: (held, outcome) => during(() => outbox.settle(held, outcome)),
      settleAndTake: (...asked) => during(() => outbox.settleAndTake(...asked)),
      decide: (...decision) => outbox.decide(...decision),
      correctFutureTimes: (...ask) => outbox.correctFutureTimes(...ask),
      list: (filter) => outbox.list(filter),
      ofItem: (key) => outbox.ofItem(key),
      counts: () => outbox.counts(),
    },
  };
}
