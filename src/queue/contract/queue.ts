import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import type { Handled, Queue, QueueDelivery } from '../queue.ts';

/** What an adapter's test file supplies. */
export interface QueueSubject extends AsyncDisposable {
  readonly queue: Queue;
  /** Creates waiting items and enqueues them. */
  enqueueNew(...names: string[]): Promise<ItemKey[]>;
  /** Finishes an item: the ledger refuses any later redelivery. */
  finish(key: ItemKey): Promise<void>;
}

/** Contract of a queue: it may deliver late, twice and out of order, but at least once. */
export function queueContract(make: () => Promise<QueueSubject>): void {
  describe('queue', () => {
    let subject: QueueSubject;
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('D10 delivers everything that was enqueued, before and while it is consumed', async () => {
      const early = await subject.enqueueNew('a', 'b', 'c');
      const consumer = consume(async ({ key }) => done(key));
      const late = await subject.enqueueNew('d', 'e');
      await consumer.until(() => consumer.finished.size === 5);
      await consumer.stop();
      expect(consumer.finished).toEqual(new Set([...early, ...late]));
    });

    it('redelivers what is answered with `later`', async () => {
      const [key] = await subject.enqueueNew('a');
      let deliveries = 0;
      const consumer = consume(async (delivery) => {
        deliveries += 1;
        return deliveries < 3 ? 'later' : done(delivery.key);
      });
      await consumer.until(() => deliveries === 3);
      await consumer.stop();
      expect(consumer.finished).toEqual(new Set([key]));
    });

    it('redelivers an item whose handler threw, without delaying the others', async () => {
      const [bad, good] = await subject.enqueueNew('bad', 'good');
      let threw = false;
      const consumer = consume(async ({ key }) => {
        if (key === bad && !threw) {
          threw = true;
          throw new Error('a handler that throws');
        }
        return done(key);
      });
      await consumer.until(() => consumer.finished.size === 2);
      await consumer.stop();
      expect(consumer.finished).toEqual(new Set([bad, good]));
    });

    it('never exceeds its concurrency', async () => {
      await subject.enqueueNew(...Array.from({ length: 20 }, (_, index) => `n${index}`));
      let max = 0;
      const consumer = consume(
        async ({ key }) => {
          max = Math.max(max, consumer.inFlightCount());
          await new Promise((resolve) => setImmediate(resolve));
          return done(key);
        },
        { concurrency: 3 },
      );
      await consumer.until(() => consumer.finished.size === 20);
      await consumer.stop();
      expect(max).toBeGreaterThan(1);
      expect(max).toBeLessThanOrEqual(3);
    });

    it('D8 stops cleanly: finishes deliveries in flight and leaves the others to the next consumer', async () => {
      const keys = await subject.enqueueNew('a', 'b', 'c', 'd');
      const gate = Promise.withResolvers<void>();
      const first = consume(
        async ({ key }) => {
          await gate.promise;
          return done(key);
        },
        { concurrency: 1 },
      );
      await first.until(() => first.inFlightCount() === 1);
      const stopped = first.stop();
      gate.resolve();
      await stopped;
      expect(first.inFlightCount()).toBe(0);
      expect(first.finished.size).toBeLessThan(4);
      const second = consume(async ({ key }) => done(key));
      await second.until(() => first.finished.size + second.finished.size >= 4);
      await second.stop();
      expect(new Set([...first.finished, ...second.finished])).toEqual(new Set(keys));
    });

    it('a consumer that is stopped before it begins receives nothing', async () => {
      await subject.enqueueNew('a');
      await subject.queue.consume(async () => 'done', { concurrency: 1, signal: AbortSignal.abort() });
      const next = consume(async ({ key }) => done(key));
      await next.until(() => next.finished.size === 1);
      await next.stop();
    });

    it('enqueuing nothing is no error', async () => {
      await subject.queue.enqueue([]);
    });

    async function done(key: ItemKey): Promise<Handled> {
      await subject.finish(key);
      return 'done';
    }

    function consume(handle: (delivery: QueueDelivery) => Promise<Handled>, { concurrency = 4 } = {}) {
      const stop = new AbortController();
      const finished = new Set<ItemKey>();
      let inFlight = 0;
      let changed = Promise.withResolvers<void>();
      const change = (): void => {
        changed.resolve();
        changed = Promise.withResolvers<void>();
      };
      const running = subject.queue.consume(
        async (delivery) => {
          inFlight += 1;
          change();
          try {
            const handled = await handle(delivery);
            if (handled === 'done') finished.add(delivery.key);
            return handled;
          } finally {
            inFlight -= 1;
            change();
          }
        },
        { concurrency, signal: stop.signal },
      );
      return {
        finished,
        inFlightCount: () => inFlight,
        async until(condition: () => boolean): Promise<void> {
          while (!condition()) await changed.promise;
        },
        stop(): Promise<void> {
          stop.abort();
          return running;
        },
      };
    }
  });
}
