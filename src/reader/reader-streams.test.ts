import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StreamReader } from '../../test/stream-reader.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { StreamResult } from '../timelines/streams.ts';
import { LocalReaderEvents } from './reader-events.ts';
import { type ReaderStreamRequest, ReaderStreams } from './reader-streams.ts';

describe('the event streams of the reader', () => {
  const clock = new ManualClock();
  let events: LocalReaderEvents;
  let streams: ReaderStreams;
  let newestId: number;
  let polls: number;
  let revoke: () => void;
  let results: StreamResult[];
  let url: string;
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const person = request.headers['x-person'];
    const base = { headers: {}, onRevoked };
    const ask: ReaderStreamRequest =
      typeof person === 'string'
        ? { ...base, person, countedAs: person, endsAt: clock.now() + 10 * MINUTE }
        : { ...base, person: null, countedAs: 'guest' };
    const result = await streams.connect(ask, response);
    results.push(result);
    if (!result.connected) response.writeHead(503).end();
  }
  function onRevoked(listener: () => void): () => void {
    revoke = listener;
    return () => {};
  }
  const open: StreamReader[] = [];

  beforeEach(async () => {
    events = new LocalReaderEvents();
    newestId = 7;
    polls = 0;
    results = [];
    streams = new ReaderStreams({
      events,
      entries: {
        newestId: async () => {
          polls++;
          return newestId;
        },
      },
      clock,
      log: silentLogger,
      telemetry: silentEvents,
      heartbeatMs: 15 * SECOND,
      maxPerPerson: 2,
      maxBufferedBytes: 64 * 1024,
      pollIntervalMs: 3 * SECOND,
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(async () => {
    for (const reader of open.splice(0)) reader.close();
    await streams[Symbol.asyncDispose]();
    await new Promise((done) => server.close(done));
  });

  async function connect(person?: string): Promise<StreamReader> {
    const reader = await StreamReader.open(url, person === undefined ? {} : { 'x-person': person });
    open.push(reader);
    if (reader.status === 200) await expect.poll(() => reader.events.length).toBeGreaterThan(0);
    return reader;
  }

  it('R6 the pages of one person are told what another of them changed, and no one else is', async () => {
    const [one, two, other, guest] = [
      await connect('ann'),
      await connect('ann'),
      await connect('ben'),
      await connect(),
    ];
    expect(one.events[0]).toMatchObject({ event: 'entries', data: { newestId: 7 } });
    await events.publish('ann', { type: 'state', change: { kind: 'star', ids: [3, 4] } });
    await events.publish(null, { type: 'sources' });
    streams.announce({ type: 'sources' });
    for (const reader of [one, two])
      await expect
        .poll(() => reader.events.slice(1).map(({ event, data }) => [event, data]))
        .toEqual([
          ['state', { kind: 'star', ids: [3, 4] }],
          ['sources', {}],
          ['sources', {}],
        ]);
    for (const reader of [other, guest])
      await expect
        .poll(() => reader.events.slice(1).map(({ event }) => event))
        .toEqual(['sources', 'sources']);
  });

  it('entries of another process are announced once, and the store is asked only while a page is open', async () => {
    const ann = await connect('ann');
    newestId = 9;
    await clock.advance(3 * SECOND);
    await expect.poll(() => ann.events.map(({ data }) => data)).toEqual([{ newestId: 7 }, { newestId: 9 }]);
    // Already announced by the process that added it.
    newestId = 11;
    await events.publish(null, { type: 'entries', newestId });
    await clock.advance(3 * SECOND);
    await expect.poll(() => ann.events.at(-1)?.data).toEqual({ newestId: 11 });
    expect(ann.events).toHaveLength(3);
    ann.close();
    await expect.poll(() => streams.openCount).toBe(0);
    await clock.advance(3 * SECOND);
    const before = polls;
    await clock.advance(MINUTE);
    expect(polls).toBe(before);
    // The loop starts again with the next page.
    const again = await connect('ann');
    newestId = 12;
    await clock.advance(3 * SECOND);
    await expect.poll(() => again.events.at(-1)?.data).toEqual({ newestId: 12 });
  });

  it('a person has a limited number of streams', async () => {
    await connect('ann');
    const second = await connect('ann');
    expect((await connect('ann')).status).toBe(503);
    expect(results.at(-1)).toEqual({ connected: false, why: 'too_many' });
    expect((await connect('ben')).status).toBe(200);
    second.close();
    await expect.poll(() => streams.openCount).toBe(2);
    expect((await connect('ann')).status).toBe(200);
  });

  it('a stream ends when its session is revoked or expires, or when events may have been lost', async () => {
    const revoked = await connect('ann');
    revoke();
    await expect.poll(() => revoked.ended).toBe(true);
    const expired = await connect('ann');
    await clock.advance(10 * MINUTE);
    await expect.poll(() => expired.ended).toBe(true);
    const gap = await connect('ann');
    events.reportGap();
    await expect.poll(() => gap.ended).toBe(true);
  });

  it('a stop ends all streams at once and refuses new ones', async () => {
    const readers = [await connect('ann'), await connect('ben')];
    // The clock stands still.
    await streams.drain();
    for (const reader of readers) await expect.poll(() => reader.ended).toBe(true);
    expect((await connect('ann')).status).toBe(503);
    expect(results.at(-1)).toEqual({ connected: false, why: 'stopping' });
  });
});
