import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStreamLog } from '../storage/memory/stream-log.ts';
import { createMemoryTimelineBackend, type MemoryTimelineBackend } from '../storage/memory/timelines.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { allHandled } from './all-handled.fixture.ts';
import { encodeCursor } from './cursor.ts';
import type { ConnectionRegistry, StreamListener, StreamLog, StreamSubscription } from './streams.ts';
import { startTimelines, type TimelineService } from './timeline-service.ts';
import { homeTimeline, type TimelineName } from './timeline-store.ts';

interface ReceivedEvent {
  event: string;
  id: string;
  dropId: string | undefined;
}

/** A client that records the events that it receives. */
class Listener {
  readonly received: ReceivedEvent[] = [];
  text = '';
  lastId = '';
  ended = false;
  readonly #message: IncomingMessage;
  #rest = '';

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => {
      this.text += chunk;
      this.#rest += chunk;
      const blocks = this.#rest.split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const block of blocks) this.#parseBlock(block);
    });
    message.on('error', () => {});
    message.on('close', () => {
      this.ended = true;
    });
  }

  get drops(): string[] {
    return this.received.filter((one) => one.event === 'new_drop').map((one) => one.dropId ?? '');
  }

  close(): void {
    this.#message.destroy();
  }

  #parseBlock(block: string): void {
    const field = (name: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const id = field('id');
    if (id !== undefined) this.lastId = id;
    const event = field('event');
    if (event === undefined) return;
    this.received.push({ event, id: id ?? '', dropId: JSON.parse(field('data') ?? '{}').drop_id });
  }
}

interface StartOptions {
  readonly registry?: ConnectionRegistry;
  readonly streams?: StreamLog;
  readonly historySize?: number;
  readonly maxMissed?: number;
  readonly bufferBytes?: number;
  readonly drainMs?: number;
}

/** A log whose events reach the listeners late, as over a network; missed events are read at once. */
class LateStreamLog extends MemoryStreamLog {
  #late: (() => void)[] | null = [];

  override subscribe(timeline: TimelineName, listener: StreamListener): Promise<StreamSubscription> {
    const later = (work: () => void): void => {
      if (this.#late === null) work();
      else this.#late.push(work);
    };
    return super.subscribe(timeline, {
      onEvent: (event) => later(() => listener.onEvent(event)),
      onGap: (mark) => later(() => listener.onGap(mark)),
    });
  }

  arrive(): void {
    const late = this.#late ?? [];
    this.#late = null;
    for (const work of late) work();
  }
}

describe('live timelines', () => {
  let clock: ManualClock;
  let social: SqliteSocialStore;
  let service: TimelineService;
  let backend: MemoryTimelineBackend;
  let http: Server;
  let port: number;
  let author: string;
  let refused: string[];
  const listeners: Listener[] = [];
  const revoke = new Map<string, () => void>();
  const endsAt = new Map<string, number>();

  async function start(changed: StartOptions = {}): Promise<void> {
    const { historySize = 8, maxMissed = 8, bufferBytes = 32 * 1024, drainMs = 0, ...replaced } = changed;
    backend = createMemoryTimelineBackend({ clock, log: silentLogger, cap: 50, historySize });
    const stream = { maxMissed, maxBufferedBytes: bufferBytes, drainMs };
    service = await startTimelines({
      social,
      changes: social.changes,
      backend: { ...backend, ...replaced },
      clock,
      log: silentLogger,
      cap: 50,
      stream,
    });
  }

  beforeEach(async () => {
    clock = new ManualClock();
    refused = [];
    revoke.clear();
    endsAt.clear();
    social = SqliteSocialStore.open({ path: ':memory:', clock });
    author = (await social.addUser({ name: 'a', displayName: 'A', kind: 'pipeline' })).id;
    await start();
    http = createServer((request, response) => {
      const [reader = '', home] = (request.url?.slice(1) ?? '').split('/');
      const last = request.headers['last-event-id'];
      const timeline = home === undefined ? ('timeline:local' as const) : homeTimeline(home);
      const ask = {
        timeline,
        reader,
        endsAt: endsAt.get(reader) ?? Number.POSITIVE_INFINITY,
        onRevoked(listener: () => void) {
          revoke.set(reader, listener);
          return () => revoke.delete(reader);
        },
      };
      void service.streams
        .connect({ ...ask, ...(typeof last === 'string' ? { after: last } : {}) }, response)
        .then((answer) => {
          if (answer.connected) return;
          refused.push(answer.why);
          response.writeHead(429).end();
        });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const address = http.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.close();
    await service[Symbol.asyncDispose]();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await social[Symbol.asyncDispose]();
  });

  async function listen(after?: string, reader = 'ann'): Promise<Listener> {
    const headers = after === undefined ? {} : { 'last-event-id': after };
    const message = await new Promise<IncomingMessage>((resolve, reject) =>
      get({ port, host: '127.0.0.1', path: `/${reader}`, headers, agent: false }, resolve).on(
        'error',
        reject,
      ),
    );
    const listener = new Listener(message);
    listeners.push(listener);
    await expect.poll(() => message.statusCode !== 200 || listener.text.includes('retry:')).toBe(true);
    return listener;
  }

  async function post(): Promise<string> {
    const posted = await social.post({ userId: author, visibility: 'public', text: 'x' });
    await allHandled(backend.eventLog);
    return posted.drop.id;
  }

  async function remove(id: string): Promise<void> {
    await social.deleteDrop(id);
    await allHandled(backend.eventLog);
  }

  it('C20 sends new and deleted drops, each with a timeline cursor', async () => {
    const listener = await listen();
    const id = await post();
    await remove(id);
    await expect.poll(() => listener.received.length).toBe(2);
    expect(listener.received.map(({ event, dropId }) => [event, dropId])).toEqual([
      ['new_drop', id],
      ['drop_deleted', id],
    ]);
    expect(listener.text).toContain(`data: {"drop_id":"${id}"}\n\n`);
    const cursors = listener.received.map(({ id: cursor }) => cursor);
    const next = await post();
    for (const cursor of cursors) {
      const answer = await service.timelines.page('timeline:local', { sinceId: cursor });
      expect(answer.ok && answer.page.entries.map((entry) => entry.id)).toEqual([next]);
    }
  });

  it('C20 sends a heartbeat every 15 seconds', async () => {
    const listener = await listen();
    // The cursor to resume from is the last of what a new stream starts with.
    await expect.poll(() => listener.lastId).not.toBe('');
    const before = listener.text.length;
    await clock.advance(14_999);
    expect(listener.text.length).toBe(before);
    await clock.advance(1);
    await expect.poll(() => listener.text.slice(before)).toMatch(/^:.*\n\n$/);
  });

  it('C22 a reader that reconnects gets the events that it missed, deletions included, once each and in order', async () => {
    const first = await listen();
    const known = await post();
    await expect.poll(() => first.drops).toEqual([known]);
    first.close();
    const missed = [await post(), await post()];
    await remove(known);
    const second = await listen(first.lastId);
    const live = await post();
    await expect.poll(() => second.received.length).toBe(4);
    expect(second.received.map(({ event, dropId }) => [event, dropId])).toEqual([
      ['new_drop', missed[0]],
      ['new_drop', missed[1]],
      ['drop_deleted', known],
      ['new_drop', live],
    ]);
  });

  it('C22 a reader that received nothing yet can resume as well', async () => {
    const first = await listen();
    await expect.poll(() => first.lastId).not.toBe('');
    first.close();
    const id = await post();
    const second = await listen(first.lastId);
    await expect.poll(() => second.drops).toEqual([id]);
  });

  it('C22 resumes from the cursor of a page, and from a plain drop ID', async () => {
    const old = await post();
    const page = await service.timelines.page('timeline:local');
    const missed = [await post(), await post(), await post()];
    const byPage = await listen(page.ok ? page.page.newer : '');
    const byId = await listen(old);
    const live = await post();
    await expect.poll(() => byPage.drops).toEqual([...missed, live]);
    await expect.poll(() => byId.drops).toEqual([...missed, live]);
    byId.close();
    const again = [await post()];
    const third = await listen(byId.lastId);
    await expect.poll(() => third.drops).toEqual(again);
  });

  it('C22 a drop that the backfill shows before its event is handled is not sent again to a reader that resumes', async () => {
    const other = await listen(undefined, 'ben');
    const [old, early] = ['old', 'early'].map((id) => ({ id, createdAt: clock.now() }));
    if (old === undefined || early === undefined) throw new Error('there are two');
    await backend.store.add(old, ['timeline:local']);
    // As a rebuild does it: the timeline shows the drop, its event is still on its way.
    await backend.store.merge('timeline:local', { entries: [early], floor: null });
    const first = await listen(encodeCursor({ id: '', createdAt: old.createdAt }));
    await expect.poll(() => first.drops).toEqual(['early', 'old']);
    await expect.poll(() => first.lastId).toMatch(/~\w+\.2$/);
    first.close();
    await backend.store.add(early, ['timeline:local']);
    const resumed = await listen(first.lastId);
    const live = await post();
    await expect.poll(() => resumed.drops).toEqual([live]);
    await expect.poll(() => other.drops).toEqual(['old', 'early', live]);
  });

  it('C22 an interrupted backfill resumes where it stopped, also with a drop that arrived late below that position', async () => {
    const now = clock.now();
    const drops = ['a', 'b', 'c'].map((id, n) => ({ id, createdAt: now + 10 * n }));
    for (const drop of drops) await backend.store.add(drop, ['timeline:local']);
    const first = await listen(encodeCursor({ id: '', createdAt: now }));
    await expect.poll(() => first.drops).toEqual(['a', 'b', 'c']);
    const broke = first.received.find(({ dropId }) => dropId === 'b')?.id ?? '';
    first.close();
    await backend.store.add({ id: 'late', createdAt: now + 5 }, ['timeline:local']);
    await backend.store.remove('a', ['timeline:local']);
    const resumed = await listen(broke);
    await expect
      .poll(() => resumed.received.map(({ event, dropId }) => `${event} ${dropId}`))
      .toEqual(['drop_deleted a', 'new_drop late', 'new_drop c']);
    const unknown = await listen(broke.replace(/~\w+\./, '~other.'));
    await expect.poll(() => unknown.received.map(({ event }) => event)).toEqual(['reset']);
  });

  it('C22 a drop posted during the backfill is sent once', async () => {
    const old = await post();
    await post();
    const connecting = listen(old);
    const ids = await Promise.all(Array.from({ length: 5 }, () => post()));
    const listener = await connecting;
    const last = await post();
    await expect.poll(() => listener.drops.at(-1)).toBe(last);
    expect(listener.drops).toHaveLength(ids.length + 2);
    expect(new Set(listener.drops).size).toBe(listener.drops.length);
    expect(listener.drops).toEqual(listener.drops.toSorted());
  });

  it('C22 an event of the backfill is not sent again as a live event', async () => {
    const first = await listen();
    const known = await post();
    await expect.poll(() => first.drops).toEqual([known]);
    await service[Symbol.asyncDispose]();
    const streams = new LateStreamLog({ clock, makeEpoch: () => 'one' });
    await start({ streams });
    // The subscription of the timeline begins before anything happens, as on a replica with other readers.
    const other = await listen(undefined, 'ben');
    await expect.poll(() => other.lastId).toContain('~one.0');
    const drops = ['a', 'b', 'c'].map((id, n) => ({ id, createdAt: clock.now() + n }));
    for (const drop of drops) await streams.announce([drop], ['timeline:local']);
    await streams.reset(['timeline:local']);
    const resumed = await listen('0_~one.1');
    await expect
      .poll(() => resumed.received.map(({ event, dropId }) => dropId ?? event))
      .toEqual(['b', 'c', 'reset']);
    streams.arrive();
    await streams.announce([{ id: 'd', createdAt: clock.now() + 9 }], ['timeline:local']);
    await expect.poll(() => other.drops).toEqual(['a', 'b', 'c', 'd']);
    await expect.poll(() => resumed.drops.at(-1)).toBe('d');
    expect(resumed.received.map(({ event, dropId }) => dropId ?? event)).toEqual(['b', 'c', 'reset', 'd']);
  });

  it('C22 a backfill larger than the buffer is sent at the pace of the reader', async () => {
    await service[Symbol.asyncDispose]();
    await start({ historySize: 5_000, bufferBytes: 16 * 1024 });
    const first = await listen();
    await expect.poll(() => first.lastId).not.toBe('');
    first.close();
    const missed = Array.from({ length: 4_000 }, (_, n) => `${n}`.padStart(60, 'x'));
    for (const [n, id] of missed.entries())
      await backend.streams.announce([{ id, createdAt: n }], ['timeline:local']);
    const resumed = await listen(first.lastId);
    await expect.poll(() => resumed.drops.length, { timeout: 30_000 }).toBe(missed.length);
    expect(resumed.drops).toEqual(missed);
    expect(resumed.ended).toBe(false);
    const live = await post();
    await expect.poll(() => resumed.drops.at(-1)).toBe(live);
  });

  it('C22 C23 a reader whose buffer overflows during the backfill is reset', async () => {
    await service[Symbol.asyncDispose]();
    const read = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    const streams = new (class extends MemoryStreamLog {
      override async after(...ask: Parameters<MemoryStreamLog['after']>) {
        const missed = await super.after(...ask);
        reading.resolve();
        await read.promise;
        return missed;
      }
    })({ clock, makeEpoch: () => 'one', maxEvents: 5_000 });
    await start({ streams, bufferBytes: 8 * 1024 });
    const other = await listen(undefined, 'ben');
    await expect.poll(() => other.lastId).toContain('~one.0');
    const resuming = listen('0_~one.0');
    await reading.promise;
    for (let n = 0; n < 500; n++) {
      await streams.announce([{ id: `${n}`.padStart(60, 'x'), createdAt: n }], ['timeline:local']);
      await new Promise((resolve) => setImmediate(resolve));
    }
    read.resolve();
    const resumed = await resuming;
    await expect.poll(() => resumed.received.map(({ event }) => event)).toEqual(['reset']);
    const last = { id: 'last', createdAt: 1_000 };
    await streams.announce([last], ['timeline:local']);
    await expect.poll(() => resumed.drops).toEqual(['last']);
    expect(resumed.ended).toBe(false);
  });

  it.each([
    ['lies too far back', async (id: string) => id],
    ['is no cursor at all', async () => 'gibberish'],
    ['comes from before a restart', async (id: string) => id.replace(/~.*$/, '~otherepoch.3')],
  ])('C22 makes the reader reload when what it last received %s', async (_what, change) => {
    const first = await listen();
    await post();
    await expect.poll(() => first.drops.length).toBe(1);
    first.close();
    for (let i = 0; i < 20; i++) await post();
    const second = await listen(await change(first.lastId));
    await expect.poll(() => second.received[0]?.event).toBe('reset');
    const id = await post();
    await expect.poll(() => second.drops).toEqual([id]);
  });

  it('C13 a home receives the drops of those it follows, and a reset when that changes', async () => {
    const reader = await social.addUser({ name: 'reader', displayName: 'Reader', kind: 'person' });
    const home = homeTimeline(reader.id);
    const ids = async (): Promise<readonly string[]> => {
      const answer = await service.timelines.page(home);
      return answer.ok ? answer.page.entries.map((entry) => entry.id) : [];
    };
    const old = await post();
    expect(await ids()).toEqual([]);
    const listener = await listen(undefined, `ann/${reader.id}`);
    await post();
    await social.follow(reader.id, author);
    await allHandled(backend.eventLog);
    await expect.poll(() => listener.received.map((one) => one.event)).toEqual(['reset']);
    expect(await ids()).toContain(old);
    const id = await post();
    await expect.poll(() => listener.drops).toEqual([id]);
    await social.unfollow(reader.id, author);
    await allHandled(backend.eventLog);
    await expect.poll(() => listener.received.at(-1)?.event).toBe('reset');
    expect(await ids()).toEqual([]);
    await post();
    expect(listener.drops).toEqual([id]);
  });

  it('C12 a drop announced twice is received once', async () => {
    const listener = await listen();
    const drop = { userId: author, visibility: 'public' as const, text: 'x', dedupeKey: 'k' };
    await social.post(drop);
    await social.post(drop);
    const last = await post();
    await expect.poll(() => listener.drops.at(-1)).toBe(last);
    expect(listener.drops).toHaveLength(2);
  });

  it('C23 a reader that does not read is disconnected at its buffer limit, and delays no other', async () => {
    const fast = await listen();
    const slow = get({ port, host: '127.0.0.1', path: '/slow', agent: false });
    let cut = false;
    slow.on('response', (message) => {
      message.pause();
      message.socket.pause();
      message.socket.on('close', () => {
        cut = true;
      });
    });
    slow.on('error', () => {});
    await expect.poll(() => service.streams.openCount).toBe(2);
    const rounds = 400;
    const big = 'k'.repeat(10_000);
    for (let i = 0; i < rounds && service.streams.openCount === 2; i++) {
      // Past the fan-out: long IDs fill the kernel's buffers with few events.
      await backend.streams.announce([{ id: `${i}${big}`, createdAt: 1 }], ['timeline:local']);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => service.streams.openCount).toBe(1);
    const id = await post();
    await expect.poll(() => fast.drops.at(-1)).toBe(id);
    slow.destroy();
    expect(cut || slow.destroyed).toBe(true);
  });

  it('C23 a user has at most ten streams, and closing one frees a slot', async () => {
    const open = await Promise.all(Array.from({ length: 10 }, () => listen()));
    await listen();
    expect(refused).toEqual(['too_many']);
    await listen(undefined, 'ben');
    open[0]?.close();
    await expect.poll(() => service.streams.openCount).toBe(10);
    const again = await listen();
    expect(again.ended).toBe(false);
    expect(refused).toEqual(['too_many']);
  });

  it('C23 a token that is revoked ends its stream', async () => {
    const ann = await listen(undefined, 'ann');
    const ben = await listen(undefined, 'ben');
    revoke.get('ann')?.();
    await expect.poll(() => ann.ended).toBe(true);
    expect(ben.ended).toBe(false);
    await expect.poll(() => [...revoke.keys()]).toEqual(['ben']);
  });

  it('C23 each stream ends when its token expires, in any order of expiry', async () => {
    endsAt.set('ann', clock.now() + 10 * MINUTE).set('ben', clock.now() + MINUTE);
    const ann = await listen(undefined, 'ann');
    const ben = await listen(undefined, 'ben');
    const cat = await listen(undefined, 'cat');
    await clock.advance(MINUTE - 1);
    expect(ben.ended).toBe(false);
    await clock.advance(1);
    await expect.poll(() => ben.ended).toBe(true);
    expect(ann.ended).toBe(false);
    await clock.advance(9 * MINUTE);
    await expect.poll(() => ann.ended).toBe(true);
    endsAt.set('dan', clock.now() + MINUTE);
    const dan = await listen(undefined, 'dan');
    await clock.advance(MINUTE);
    await expect.poll(() => dan.ended).toBe(true);
    expect(cat.ended).toBe(false);
  });

  it('C23 a token that has expired meanwhile opens no stream, and no reader stays counted', async () => {
    const opened = createServer((_request, response) => {
      void service.streams.connect(
        { timeline: 'timeline:local', reader: 'ann', endsAt: clock.now() },
        response,
      );
    });
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
    const address = opened.address();
    const at = typeof address === 'object' && address ? address.port : 0;
    const answer = await fetch(`http://127.0.0.1:${at}/`);
    expect(await answer.text()).not.toContain('id:');
    await expect.poll(() => service.streams.openCount).toBe(0);
    await new Promise((resolve) => opened.close(resolve));
  });

  it('C23 a stream that is being opened when a stop begins is refused', async () => {
    await service[Symbol.asyncDispose]();
    const entering = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<boolean>();
    const left: string[] = [];
    await start({
      registry: {
        register: () => {
          entering.resolve();
          return entered.promise;
        },
        unregister: async (reader) => void left.push(reader),
        renew: async () => {},
        [Symbol.asyncDispose]: async () => {},
      },
    });
    const late = listen();
    await entering.promise;
    await service.streams.drain();
    entered.resolve(true);
    await late;
    expect(refused).toEqual(['stopping']);
    expect(service.streams.openCount).toBe(0);
    expect(left).toEqual(['ann']);
  });

  it('C23 a stop does not wait after the last stream, whatever the time to drain', async () => {
    await service[Symbol.asyncDispose]();
    await start({ drainMs: MINUTE });
    const ann = await listen();
    // The clock stands still.
    await service.streams.drain();
    await expect.poll(() => ann.ended).toBe(true);
  });

  it('C23 a stop ends many streams one after the other, within the time to drain', async () => {
    await service[Symbol.asyncDispose]();
    await start({ drainMs: 12 });
    const open = await Promise.all(['ann', 'ben', 'cat', 'dan'].map((name) => listen(undefined, name)));
    const draining = service.streams.drain();
    await clock.advance(0);
    await expect.poll(() => open.filter(({ ended }) => ended).length).toBe(2);
    await clock.advance(8);
    await draining;
    await expect.poll(() => open.every(({ ended }) => ended)).toBe(true);
  });

  it('C23 a stop ends all streams and refuses new ones; readers resume elsewhere', async () => {
    const ann = await listen();
    const id = await post();
    await expect.poll(() => ann.drops).toEqual([id]);
    const before = ann.text.length;
    await service.streams.drain();
    await expect.poll(() => ann.ended).toBe(true);
    // A time of its own, so that the readers of a replica do not all come back at the same moment.
    const [, retry] = /retry: (\d+)\n\n$/.exec(ann.text.slice(before)) ?? [];
    expect(Number(retry)).toBeGreaterThanOrEqual(2_000);
    expect(Number(retry)).toBeLessThanOrEqual(4_000);
    await listen();
    expect(refused).toEqual(['stopping']);
    await service[Symbol.asyncDispose]();
    await start();
    const missed = await post();
    const bare = ann.lastId.replace(/~.*$/, '');
    const again = await listen(bare);
    await expect.poll(() => again.drops).toEqual([missed]);
  });
});
