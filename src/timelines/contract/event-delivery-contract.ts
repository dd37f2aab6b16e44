import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { inSpan, openTracing, type TraceHeaders, traceHeaders } from '../../telemetry/tracing.ts';
import type { Change, ChangeFeed, DropEvent, EventDelivery } from '../change-feed.ts';
import { TimelinesUnavailableError } from '../timeline-store.ts';

/** The parts of one replica. */
export interface Delivering {
  readonly events: EventDelivery;
  /** Where the test writes changes. */
  readonly feed: ChangeFeed;
}

export interface DeliveryUnderTest extends Delivering {
  /** Another replica with the same log and a feed of its own; `null` where there can be only one. */
  readonly other: Delivering | null;
  /** Lets the time pass that a retry takes. */
  passTime(ms: number): Promise<void>;
}

const deleted = (id: string): DropEvent => ({ type: 'drop_deleted', drop_id: id, user_id: 'u' });

/** Contract of every event delivery. */
export function describeEventDelivery(name: string, open: () => Promise<DeliveryUnderTest>): void {
  describe(`${name}: the contract of event delivery`, () => {
    let tested: DeliveryUnderTest;
    let events: EventDelivery;
    let feed: ChangeFeed;
    let stop: AbortController;
    const reading: Promise<void>[] = [];
    beforeEach(async () => {
      tested = await open();
      ({ events, feed } = tested);
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await Promise.all(reading.splice(0));
    });

    type Handle = (event: Change) => Promise<(() => Promise<void>) | undefined>;
    const read = (handle: Handle, by: Delivering = tested): void => {
      reading.push(by.events.deliver(by.feed, handle, stop.signal));
    };
    const collect = (by: Delivering = tested): string[] => {
      const seen: string[] = [];
      read(async (event) => {
        seen.push('drop_id' in event ? event.drop_id : event.type);
        return undefined;
      }, by);
      return seen;
    };
    const until = (check: () => unknown): Promise<void> =>
      expect
        .poll(
          async () => {
            await tested.passTime(20);
            return check();
          },
          { interval: 10 },
        )
        .toBe(true);

    it('C25 an event has the trace context in which it was appended', async () => {
      const collector = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
      await once(collector, 'listening');
      await using _collector = {
        async [Symbol.asyncDispose]() {
          collector.closeAllConnections();
          await new Promise((resolve) => collector.close(resolve));
        },
      };
      const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
      const options = { endpoint, serviceName: 'x', version: '0', logger: silentLogger };
      await using _tracing = await openTracing(options);
      const traces: TraceHeaders[] = [];
      reading.push(
        events.deliver(
          feed,
          async (_event, { trace }) => {
            traces.push(trace);
            return undefined;
          },
          stop.signal,
        ),
      );
      const posted = await inSpan('post', {}, async () => {
        await feed.append(deleted('traced'));
        return traceHeaders();
      });
      await until(() => traces.length === 1);
      expect(traces).toEqual([posted]);
      expect(posted.traceparent).toMatch(/^00-/);
    });

    it('C12 handles every event, including those from before the start', async () => {
      await feed.append(deleted('1'));
      const seen = collect();
      await feed.append(deleted('2'));
      await until(() => seen.length === 2);
      expect(seen).toEqual(['1', '2']);
    });

    it('delivers every type of event unchanged', async () => {
      const all: DropEvent[] = [
        {
          type: 'drop_created',
          drop_id: 'd',
          user_id: 'u',
          visibility: 'followers',
          created_at: 1_700_000_000_123,
        },
        deleted('d'),
        { type: 'ap_drop_received', drop_id: 'r', created_at: 5 },
        { type: 'followed', user_id: 'u', author_id: 'v' },
        { type: 'unfollowed', user_id: 'u', author_id: 'v' },
      ];
      const seen: Change[] = [];
      read(async (event) => {
        seen.push(event);
        return undefined;
      });
      for (const event of all) await feed.append(event);
      await until(() => seen.length === all.length);
      expect(seen).toEqual(all);
    });

    it('C12 retries a failed event, and blocks no other', async () => {
      const seen: string[] = [];
      read(async (event) => {
        const id = 'drop_id' in event ? event.drop_id : '';
        seen.push(id);
        if (id === '1' && seen.filter((one) => one === '1').length < 3)
          throw new Error('the store is unavailable');
        return undefined;
      });
      for (const id of ['1', '2', '3']) await feed.append(deleted(id));
      await until(() => seen.length === 5);
      expect(seen.slice(0, 3).toSorted()).toEqual(['1', '2', '3']);
      expect(seen.slice(3)).toEqual(['1', '1']);
      await until(async () => (await events.waiting()) === 0);
    });

    it('C11 deferred work blocks no other event, and counts as waiting until it is done', async () => {
      let finish = (): void => {};
      const long = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const seen: string[] = [];
      read(async (event) => {
        seen.push('drop_id' in event ? event.drop_id : '');
        return seen.length <= 3 ? () => long : undefined;
      });
      for (let n = 0; n < 20; n++) await feed.append(deleted(`${n}`));
      await until(() => seen.length === 20);
      await until(async () => (await events.waiting()) === 3);
      finish();
      await until(async () => (await events.waiting()) === 0);
    });

    it('C12 the event is retried if its deferred work fails', async () => {
      let tries = 0;
      read(async () => async () => {
        tries += 1;
        if (tries < 3) throw new Error('not yet');
      });
      await feed.append(deleted('1'));
      await until(() => tries === 3);
      await until(async () => (await events.waiting()) === 0);
    });

    const creates = (id: string, author: string): DropEvent => ({
      type: 'drop_created',
      drop_id: id,
      user_id: author,
      visibility: 'public',
      created_at: 7,
    });

    it('C20 drops of one author are handled one after the other, in order, over all replicas', async () => {
      const other = tested.other;
      const seen: string[] = [];
      const begun = new Map<string, number>();
      const slowly: Handle = async (event) => {
        if (event.type !== 'drop_created') return undefined;
        begun.set(event.user_id, (begun.get(event.user_id) ?? 0) + 1);
        expect(begun.get(event.user_id)).toBe(1);
        // The later ones are faster; every fourth has deferred work.
        const turns = 40 - (Number(event.drop_id) % 40);
        const work = async (): Promise<void> => {
          for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
          seen.push(`${event.user_id} ${event.drop_id}`);
          begun.set(event.user_id, 0);
        };
        if (Number(event.drop_id) % 4 === 0) return work;
        await work();
        return undefined;
      };
      read(slowly);
      if (other !== null) read(slowly, other);
      for (let n = 0; n < 80; n++)
        for (const author of ['u', 'v']) await feed.append(creates(`${n}`, author));
      await until(() => seen.length === 160);
      for (const author of ['u', 'v'])
        expect(seen.filter((one) => one.startsWith(author))).toEqual(
          Array.from({ length: 80 }, (_, n) => `${author} ${n}`),
        );
    });

    it('C12 C20 a drop that fails because a service is unavailable is handled before the later ones of its author', async () => {
      const seen: string[] = [];
      let fails = 3;
      read(async (event) => {
        if (event.type !== 'drop_created') return undefined;
        if (event.drop_id === '1' && fails-- > 0) throw new TimelinesUnavailableError();
        seen.push(`${event.user_id} ${event.drop_id}`);
        return undefined;
      });
      for (const [id, author] of [
        ['1', 'u'],
        ['2', 'u'],
        ['3', 'v'],
      ] as const)
        await feed.append(creates(id, author));
      await until(() => seen.length === 3);
      expect(seen).toEqual(['v 3', 'u 1', 'u 2']);
    });

    it('C12 replicas of one group share its events: each is handled by one of them', async () => {
      const other = tested.other;
      if (other === null) return;
      const mine = collect();
      const theirs = collect(other);
      for (let n = 0; n < 200; n++) await (n % 2 === 0 ? tested : other).feed.append(deleted(`${n}`));
      await until(() => mine.length + theirs.length === 200);
      expect(new Set([...mine, ...theirs]).size).toBe(200);
    });
  });
}
