import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventNumber } from '../cursor.ts';
import type { NumberedEvent, StreamLog } from '../streams.ts';
import { homeTimeline, type TimelineName, type TimelineStore } from '../timeline-store.ts';
import { beginExpiredRebuild } from './timeline-store.ts';

export interface StreamLogUnderTest {
  /** The store that records what it does. */
  readonly store: TimelineStore;
  readonly streams: StreamLog;
  /** The same log on another replica; the same object if there is only one. */
  readonly other: StreamLog;
}

const HOME = homeTimeline('ann');

/** Contract of every stream log, together with the store that records in it. */
export function describeStreamLog(name: string, open: () => Promise<StreamLogUnderTest>): void {
  describe(`${name}: the contract of the streams' events`, () => {
    let store: TimelineStore;
    let streams: StreamLog;
    let other: StreamLog;
    beforeEach(async () => {
      ({ store, streams, other } = await open());
    });
    const stops: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const stop of stops.splice(0)) await stop();
    });

    const build = async (timeline: TimelineName): Promise<void> => {
      await store.merge(timeline, { entries: [], floor: null }, await beginExpiredRebuild(store, timeline));
    };
    const markOf = async (timeline: TimelineName): Promise<EventNumber> => {
      const page = await store.page(timeline, { limit: 1 }, { mark: true });
      if (!page?.mark) throw new Error('the page has no mark');
      return page.mark;
    };
    const add = (at: number, timelines: readonly TimelineName[]) =>
      store.add({ id: `d${at}`, createdAt: at }, timelines);
    const subscribe = async (log: StreamLog, timeline: TimelineName) => {
      const received: NumberedEvent[] = [];
      const lost: EventNumber[] = [];
      const { mark, stop } = await log.subscribe(timeline, {
        onEvent: (event) => void received.push(event),
        onGap: (at) => void lost.push(at),
      });
      stops.push(stop);
      return { received, lost, mark };
    };
    const words = (events: readonly NumberedEvent[]): string[] =>
      events.map(({ event }) => ('dropId' in event ? `${event.type} ${event.dropId}` : event.type));
    const pollOptions = { interval: 20 };

    it('C21 publishes the changes of the store, in order and numbered without a gap, on every replica', async () => {
      await build(HOME);
      const [here, there] = [await subscribe(streams, HOME), await subscribe(other, HOME)];
      await add(1, [HOME, 'timeline:local']);
      await add(2, [HOME]);
      await store.remove('d1', [HOME]);
      await streams.reset([HOME]);
      const expected = ['new_drop d1', 'new_drop d2', 'drop_deleted d1', 'reset'];
      for (const { received, mark } of [here, there]) {
        await expect.poll(() => words(received), pollOptions).toEqual(expected);
        expect(received.map(({ number }) => number - mark.number)).toEqual([1, 2, 3, 4]);
        expect(new Set(received.map(({ epoch }) => epoch))).toEqual(new Set([mark.epoch]));
      }
    });

    it('C12 an event that is handled twice is published once', async () => {
      await build(HOME);
      const { received } = await subscribe(streams, HOME);
      for (let n = 0; n < 2; n++) await add(1, [HOME]);
      for (let n = 0; n < 2; n++) await store.remove('d1', [HOME]);
      await add(2, [HOME]);
      await expect
        .poll(() => words(received), pollOptions)
        .toEqual(['new_drop d1', 'drop_deleted d1', 'new_drop d2']);
    });

    it('C12 C16 a drop that a rebuild brought in before its event was handled is published by its event, once', async () => {
      await build(HOME);
      const { received } = await subscribe(streams, HOME);
      const drop = { id: 'early', createdAt: Date.now() };
      await store.evict(HOME);
      await store.merge(HOME, { entries: [drop], floor: null }, await beginExpiredRebuild(store, HOME));
      for (let n = 0; n < 2; n++) await store.add(drop, [HOME]);
      await add(2, [HOME]);
      await expect.poll(() => words(received), pollOptions).toEqual(['new_drop early', 'new_drop d2']);
    });

    it('C22 a drop that was announced because a page showed it is not published again by its event', async () => {
      await build(HOME);
      const { received } = await subscribe(other, HOME);
      const drops = ['a', 'b'].map((id) => ({ id, createdAt: Date.now() }));
      for (let n = 0; n < 2; n++) await streams.announce(drops, [HOME]);
      for (const drop of drops) await store.add(drop, [HOME]);
      await add(2, [HOME]);
      await expect
        .poll(() => words(received), pollOptions)
        .toEqual(['new_drop a', 'new_drop b', 'new_drop d2']);
    });

    it('C11 C22 a home is subscribed from the page on that a stream may resume from', async () => {
      await build(HOME);
      expect((await other.subscribedHomes()).has('ann')).toBe(false);
      await markOf(HOME);
      expect((await other.subscribedHomes()).has('ann')).toBe(true);
    });

    it('C22 returns the events after a number, or null if they are unknown', async () => {
      await build(HOME);
      const mark = await markOf(HOME);
      await add(1, [HOME]);
      await add(2, [HOME]);
      expect(words((await other.after(HOME, mark)) ?? [])).toEqual(['new_drop d1', 'new_drop d2']);
      const later = { ...mark, number: mark.number + 1 };
      expect(words((await other.after(HOME, later)) ?? [])).toEqual(['new_drop d2']);
      expect(await other.after(HOME, { ...mark, number: mark.number + 2 })).toEqual([]);
      expect(await other.after(HOME, { ...mark, number: mark.number + 3 })).toBeNull();
      expect(await other.after(HOME, { ...mark, epoch: 'another' })).toBeNull();
    });

    it('C22 the mark of a page covers exactly the events that the page contains', async () => {
      await build(HOME);
      await add(1, [HOME]);
      const page = await store.page(HOME, { limit: 5 }, { mark: true });
      await add(2, [HOME]);
      expect(page?.entries.map(({ id }) => id)).toEqual(['d1']);
      if (!page?.mark) throw new Error('the page has no mark');
      expect(words((await streams.after(HOME, page.mark)) ?? [])).toEqual(['new_drop d2']);
    });

    it('C13 the numbers continue when the timeline is evicted and rebuilt', async () => {
      await build(HOME);
      const mark = await markOf(HOME);
      await store.evict(HOME);
      await streams.reset([HOME]);
      await build(HOME);
      await add(1, [HOME]);
      expect(words((await streams.after(HOME, mark)) ?? [])).toEqual(['reset', 'new_drop d1']);
    });

    it('C11 publishes drops that are not written into the timeline, and lists the subscribed homes', async () => {
      const { received } = await subscribe(streams, HOME);
      await streams.announce([{ id: 'big', createdAt: 5 }], [HOME, homeTimeline('unsubscribed')]);
      await expect.poll(() => words(received), pollOptions).toEqual(['new_drop big']);
      expect((await other.subscribedHomes()).has('ann')).toBe(true);
      expect((await other.subscribedHomes()).has('unsubscribed')).toBe(false);
    });

    it('C8 C11 a deleted drop is not published to timelines that do not contain it', async () => {
      const { received } = await subscribe(streams, HOME);
      await store.remove('big', ['timeline:local']);
      await streams.announce([{ id: 'big', createdAt: 5 }], [HOME]);
      await streams.announce([{ id: 'next', createdAt: 6 }], [HOME]);
      await expect.poll(() => words(received), pollOptions).toEqual(['new_drop next']);
    });

    it('C13 publishes nothing of an author whom the home was severed from', async () => {
      const { received } = await subscribe(streams, HOME);
      await store.sever(HOME, 'bad');
      await build(HOME);
      await store.add({ id: 'd1', createdAt: 1 }, [HOME], { author: 'bad' });
      await streams.announce([{ id: 'd2', createdAt: 2 }], [HOME], 'bad');
      await streams.announce([{ id: 'd3', createdAt: 3 }], [HOME], 'good');
      await store.join(HOME, 'bad');
      await streams.announce([{ id: 'd4', createdAt: 4 }], [HOME], 'bad');
      await expect.poll(() => words(received), pollOptions).toEqual(['new_drop d3', 'new_drop d4']);
    });

    it('C8 C11 the deletion of an announced drop that the timeline does not contain is published, once', async () => {
      const { received } = await subscribe(other, HOME);
      for (let n = 0; n < 2; n++) await streams.announce([{ id: 'big', createdAt: 5 }], [HOME]);
      await store.remove('big', ['timeline:local']);
      for (let n = 0; n < 2; n++) await store.remove('big', [HOME], { announced: true });
      await streams.announce([{ id: 'next', createdAt: 6 }], [HOME]);
      await expect
        .poll(() => words(received), pollOptions)
        .toEqual(['new_drop big', 'drop_deleted big', 'new_drop next']);
    });

    it('C8 C16 the deletion of a drop is published to the subscribers of a lost home, once', async () => {
      await build(HOME);
      const { received } = await subscribe(streams, HOME);
      await store.evict(HOME);
      await add(1, [HOME]);
      await store.remove('d1', ['timeline:local']);
      for (let n = 0; n < 2; n++) await store.remove('d1', [HOME]);
      await add(2, [HOME]);
      await expect
        .poll(() => words(received), pollOptions)
        .toEqual(['new_drop d1', 'drop_deleted d1', 'new_drop d2']);
    });

    it('C16 a subscribed home that was lost still publishes new drops', async () => {
      await build(HOME);
      const { received } = await subscribe(streams, HOME);
      await store.evict(HOME);
      expect(await add(1, [HOME])).toEqual([]);
      await expect.poll(() => words(received), pollOptions).toEqual(['new_drop d1']);
    });
  });
}
