import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import type { Change, ChangeFeed } from '../change-feed.ts';

export interface FeedUnderTest extends AsyncDisposable {
  readonly feed: ChangeFeed;
  /** The same feed in another process, or after a restart; `null` where it lives in one process alone. */
  readonly another: (() => Promise<ChangeFeed>) | null;
  /** Lets the time pass that a retry takes. */
  passTime(ms: number): Promise<void>;
}

const deleted = (id: string): Change => ({ type: 'drop_deleted', drop_id: id, user_id: 'u' });

/** Contract of every change feed. */
export function describeChangeFeed(name: string, open: () => Promise<FeedUnderTest>): void {
  describe(`${name}: the change feed's contract`, () => {
    let tested: FeedUnderTest;
    let feed: ChangeFeed;
    let stops: (() => Promise<void>)[];
    beforeEach(async () => {
      tested = await open();
      feed = tested.feed;
      stops = [];
    });
    afterEach(async () => {
      for (const stop of stops) await stop();
      await tested[Symbol.asyncDispose]();
    });

    /** Relays into a durable sink, which throws for a change while `refuses` returns true. */
    const relay = (from: ChangeFeed, refuses: (id: string) => boolean = () => false) => {
      const accepted: string[] = [];
      const stopping = new AbortController();
      const running = from.relay(
        {
          durable: true,
          log: silentLogger,
          async accept({ change }) {
            const id = 'drop_id' in change ? change.drop_id : change.type;
            if (refuses(id)) throw new Error('unavailable');
            accepted.push(id);
          },
        },
        stopping.signal,
      );
      const stop = async (): Promise<void> => {
        stopping.abort();
        await running;
      };
      stops.push(stop);
      return { accepted, stop };
    };
    const append = async (...ids: readonly string[]): Promise<void> => {
      for (const id of ids) await feed.append(deleted(id));
    };
    const eventually = (check: () => unknown) =>
      expect.poll(
        async () => {
          await tested.passTime(100);
          return check();
        },
        { timeout: 30_000, interval: 5 },
      );

    it('C12 delivers changes at once, once each and in order, including those from before the start', async () => {
      await append('1', '2');
      const { accepted } = relay(feed);
      await append('3', '4');
      // No time passes: the relay is woken.
      await expect.poll(() => accepted, { timeout: 30_000 }).toEqual(['1', '2', '3', '4']);
      await expect.poll(() => feed.waiting()).toBe(0);
      await append('5');
      await eventually(() => accepted).toEqual(['1', '2', '3', '4', '5']);
    });

    it('C12 a rejected change is redelivered, and the later ones wait for it', async () => {
      let left = 3;
      const { accepted } = relay(feed, (id) => id === '2' && left-- > 0);
      await append('1', '2', '3');
      await expect.poll(() => accepted).toEqual(['1']);
      expect(await feed.waiting()).toBeGreaterThan(0);
      await eventually(() => accepted).toEqual(['1', '2', '3']);
    });

    it('C12 more changes than fit into one batch, written while the sink is unavailable, are delivered afterwards in order', async () => {
      let isUnavailable = true;
      const { accepted } = relay(feed, () => isUnavailable);
      const ids = Array.from({ length: 1_203 }, (_, n) => `${n}`);
      for (let n = 0; n < ids.length; n += 401)
        await Promise.all(ids.slice(n, n + 401).map((id) => feed.append(deleted(id))));
      expect(accepted).toEqual([]);
      isUnavailable = false;
      await eventually(() => accepted.length).toBe(ids.length);
      expect(accepted.toSorted()).toEqual(ids.toSorted());
    });

    it('C12 changes that the sink did not accept are relayed after a restart, and no others', async ({
      skip,
    }) => {
      if (tested.another === null) return skip('it lives as long as its process');
      const first = relay(feed, (id) => id === '2');
      await append('1', '2', '3');
      await expect.poll(() => first.accepted).toEqual(['1']);
      await first.stop();
      const second = relay(await tested.another());
      await eventually(() => second.accepted).toEqual(['2', '3']);
      await second.stop();
      const third = relay(await tested.another());
      await append('4');
      await eventually(() => third.accepted).toEqual(['4']);
    });

    it('C12 with several replicas relaying concurrently, each change is delivered at least once and none is left', async ({
      skip,
    }) => {
      if (tested.another === null) return skip('it lives as long as its process');
      const ids = Array.from({ length: 40 }, (_, n) => `${n}`);
      await append(...ids.slice(0, 20));
      const relays = [relay(feed), relay(await tested.another()), relay(await tested.another())];
      await append(...ids.slice(20));
      const all = (): Set<string> => new Set(relays.flatMap(({ accepted }) => accepted));
      await eventually(() => all().size).toBe(ids.length);
      for (const one of relays) await one.stop();
      const late = relay(await tested.another());
      await append('last');
      await eventually(() => late.accepted).toEqual(['last']);
    });

    it('C12 a change appended just before the stop is relayed before the relay ends', async () => {
      const { accepted, stop } = relay(feed);
      await append('1');
      await stop();
      expect(accepted).toEqual(['1']);
    });
  });
}
