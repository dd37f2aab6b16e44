import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { inSpan, openTracing, type TraceHeaders, traceHeaders } from '../../telemetry/tracing.ts';
import type { DropEvent, EventLog } from '../event-log.ts';
import { TimelinesUnavailableError } from '../unavailable.ts';

export interface LogUnderTest {
  readonly log: EventLog;
  /** Another copy that reads and writes the same log; `null` where there can be only one. */
  readonly other: EventLog | null;
  /** Lets the time pass that another try takes. */
  passTime(ms: number): Promise<void>;
}

const deleted = (id: string): DropEvent => ({ type: 'drop_deleted', drop_id: id, user_id: 'u' });

/** What every event log must prove. It has the groups `a` and `b`. */
export function describeEventLog(name: string, open: () => Promise<LogUnderTest>): void {
  describe(`${name}: the event log's contract`, () => {
    let tested: LogUnderTest;
    let log: EventLog;
    let stop: AbortController;
    const reading: Promise<void>[] = [];
    beforeEach(async () => {
      tested = await open();
      log = tested.log;
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await Promise.all(reading.splice(0));
      await log[Symbol.asyncDispose]();
      await tested.other?.[Symbol.asyncDispose]();
    });

    type Handle = (event: DropEvent) => Promise<(() => Promise<void>) | undefined>;
    const read = (group: string, handle: Handle, from: EventLog = log): void => {
      reading.push(from.consume(group, handle, stop.signal));
    };
    const collect = (group: string, from: EventLog = log): string[] => {
      const seen: string[] = [];
      read(
        group,
        async (event) => {
          seen.push('drop_id' in event ? event.drop_id : event.type);
          return undefined;
        },
        from,
      );
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

    it('C25 an event carries the trace in which it was appended', async () => {
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
        log.consume(
          'a',
          async (_event, { trace }) => {
            traces.push(trace);
            return undefined;
          },
          stop.signal,
        ),
      );
      const posted = await inSpan('post', {}, async () => {
        await log.append(deleted('traced'));
        return traceHeaders();
      });
      await until(() => traces.length === 1);
      expect(traces).toEqual([posted]);
      expect(posted.traceparent).toMatch(/^00-/);
    });

    it('C12 gives each group every event, also those from before it began to read', async () => {
      await log.append(deleted('1'));
      const [a, b] = [collect('a'), collect('b')];
      await log.append(deleted('2'));
      await until(() => a.length === 2 && b.length === 2);
      expect([a, b]).toEqual([
        ['1', '2'],
        ['1', '2'],
      ]);
    });

    it('carries every kind of event as it is', async () => {
      const events: DropEvent[] = [
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
      const seen: DropEvent[] = [];
      read('a', async (event) => {
        seen.push(event);
        return undefined;
      });
      for (const event of events) await log.append(event);
      await until(() => seen.length === events.length);
      expect(seen).toEqual(events);
    });

    it('C12 hands an event that could not be handled in again, and holds up no other', async () => {
      const seen: string[] = [];
      read('a', async (event) => {
        const id = 'drop_id' in event ? event.drop_id : '';
        seen.push(id);
        if (id === '1' && seen.filter((one) => one === '1').length < 3) throw new Error('the store is away');
        return undefined;
      });
      for (const id of ['1', '2', '3']) await log.append(deleted(id));
      await until(() => seen.length === 5);
      expect(seen.slice(0, 3).toSorted()).toEqual(['1', '2', '3']);
      expect(seen.slice(3)).toEqual(['1', '1']);
      await until(async () => (await log.waiting('a')) === 0);
    });

    it('C11 a rest that takes long holds up nobody, and counts as waiting until it is done', async () => {
      let finish = (): void => {};
      const long = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const seen: string[] = [];
      read('a', async (event) => {
        seen.push('drop_id' in event ? event.drop_id : '');
        return seen.length <= 3 ? () => long : undefined;
      });
      for (let n = 0; n < 20; n++) await log.append(deleted(`${n}`));
      await until(() => seen.length === 20);
      await until(async () => (await log.waiting('a')) === 3);
      finish();
      await until(async () => (await log.waiting('a')) === 0);
    });

    it('C12 a rest that fails makes the event come again', async () => {
      let tries = 0;
      read('a', async () => async () => {
        tries += 1;
        if (tries < 3) throw new Error('not yet');
      });
      await log.append(deleted('1'));
      await until(() => tries === 3);
      await until(async () => (await log.waiting('a')) === 0);
    });

    const creates = (id: string, author: string): DropEvent => ({
      type: 'drop_created',
      drop_id: id,
      user_id: author,
      visibility: 'public',
      created_at: 7,
    });

    it('C20 drops of one author are handled one after the other, in order, over all copies', async () => {
      const other = tested.other;
      const seen: string[] = [];
      const begun = new Map<string, number>();
      const slowly: Handle = async (event) => {
        if (event.type !== 'drop_created') return undefined;
        begun.set(event.user_id, (begun.get(event.user_id) ?? 0) + 1);
        expect(begun.get(event.user_id)).toBe(1);
        // The later ones are faster; every fourth has a rest.
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
      read('a', slowly);
      if (other !== null) read('a', slowly, other);
      for (let n = 0; n < 80; n++) for (const author of ['u', 'v']) await log.append(creates(`${n}`, author));
      await until(() => seen.length === 160);
      for (const author of ['u', 'v'])
        expect(seen.filter((one) => one.startsWith(author))).toEqual(
          Array.from({ length: 80 }, (_, n) => `${author} ${n}`),
        );
    });

    it('C12 C20 a drop that fails because a service is away is handled before the later ones of its author', async () => {
      const seen: string[] = [];
      let fails = 3;
      read('a', async (event) => {
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
        await log.append(creates(id, author));
      await until(() => seen.length === 3);
      expect(seen).toEqual(['v 3', 'u 1', 'u 2']);
    });

    it('C12 copies of one group share its events; what one appends the other may handle', async () => {
      const other = tested.other;
      if (other === null) return;
      const mine = collect('a');
      const theirs = collect('a', other);
      for (let n = 0; n < 200; n++) await (n % 2 === 0 ? log : other).append(deleted(`${n}`));
      await until(() => mine.length + theirs.length === 200);
      expect(new Set([...mine, ...theirs]).size).toBe(200);
    });
  });
}
