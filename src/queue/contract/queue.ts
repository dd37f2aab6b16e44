import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import type { Handled, Queue, QueueDelivery } from '../queue.ts';

/** What an adapter's test file supplies. */
export interface QueueSubject extends AsyncDisposable {
  readonly queue: Queue;
  /** Makes items that wait, and hands them over. */
  enqueueNew(...names: string[]): Promise<ItemKey[]>;
  /** Work on an item is over: what a queue delivers again after this, the ledger refuses. */
  finish(key: ItemKey): Promise<void>;
}

/** Everything that a queue has to prove. It may deliver late, twice and out of order, and never not at all. */
export function queueContract(make: () => Promise<QueueSubject>): void {
  describe('queue', () => {
    let subject: QueueSubject;
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('D10 delivers everything that was handed over, before and while it is consumed', async () => {
      const early = await subject.enqueueNew('a', 'b', 'c');
      const consumer = consume(async ({ key }) => done(key));
      const late = await subject.enqueueNew('d', 'e');
      await consumer.until(() => consumer.settled.size === 5);
      await consumer.stop();
      expect(consumer.settled).toEqual(new Set([...early, ...late]));
    });

    it('what is to come later comes again', async () => {
      const [key] = await subject.enqueueNew('a');
      let rounds = 0;
      const consumer = consume(async (delivery) => {
        rounds += 1;
        return rounds < 3 ? 'later' : done(delivery.key);
      });
      await consumer.until(() => rounds === 3);
      await consumer.stop();
      expect(consumer.settled).toEqual(new Set([key]));
    });

    it('what a handler threw on comes again, and the others are not held up', async () => {
      const [bad, good] = await subject.enqueueNew('bad', 'good');
      let threw = false;
      const consumer = consume(async ({ key }) => {
        if (key === bad && !threw) {
          threw = true;
          throw new Error('a handler that throws');
        }
        return done(key);
      });
      await consumer.until(() => consumer.settled.size === 2);
      await consumer.stop();
      expect(consumer.settled).toEqual(new Set([bad, good]));
    });

    it('never has more under way than it may', async () => {
      await subject.enqueueNew(...Array.from({ length: 20 }, (_, index) => `n${index}`));
      let most = 0;
      const consumer = consume(
        async ({ key }) => {
          most = Math.max(most, consumer.underWay());
          await new Promise((resolve) => setImmediate(resolve));
          return done(key);
        },
        { concurrency: 3 },
      );
      await consumer.until(() => consumer.settled.size === 20);
      await consumer.stop();
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(3);
    });

    it('D8 stops cleanly: what is under way is finished, what is not comes to the next consumer', async () => {
      const keys = await subject.enqueueNew('a', 'b', 'c', 'd');
      const gate = Promise.withResolvers<void>();
      const first = consume(
        async ({ key }) => {
          await gate.promise;
          return done(key);
        },
        { concurrency: 1 },
      );
      await first.until(() => first.underWay() === 1);
      const stopped = first.stop();
      gate.resolve();
      await stopped;
      expect(first.underWay()).toBe(0);
      expect(first.settled.size).toBeLessThan(4);
      const second = consume(async ({ key }) => done(key));
      await second.until(() => first.settled.size + second.settled.size >= 4);
      await second.stop();
      expect(new Set([...first.settled, ...second.settled])).toEqual(new Set(keys));
    });

    it('a consumer that is stopped before it begins takes nothing', async () => {
      await subject.enqueueNew('a');
      await subject.queue.consume(async () => 'done', { concurrency: 1, signal: AbortSignal.abort() });
      const next = consume(async ({ key }) => done(key));
      await next.until(() => next.settled.size === 1);
      await next.stop();
    });

    it('handing nothing over is no mistake', async () => {
      await subject.queue.enqueue([]);
    });

    async function done(key: ItemKey): Promise<Handled> {
      await subject.finish(key);
      return 'done';
    }

    function consume(handle: (delivery: QueueDelivery) => Promise<Handled>, { concurrency = 4 } = {}) {
      const stop = new AbortController();
      const settled = new Set<ItemKey>();
      let under = 0;
      let changed = Promise.withResolvers<void>();
      const change = (): void => {
        changed.resolve();
        changed = Promise.withResolvers<void>();
      };
      const running = subject.queue.consume(
        async (delivery) => {
          under += 1;
          change();
          try {
            const handled = await handle(delivery);
            if (handled === 'done') settled.add(delivery.key);
            return handled;
          } finally {
            under -= 1;
            change();
          }
        },
        { concurrency, signal: stop.signal },
      );
      return {
        settled,
        underWay: () => under,
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
