import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { MemoryStreamLog } from '../storage/memory/stream-log.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock as clock } from '../time/clock.ts';
import { StreamHub } from './stream-hub.ts';

const LIMIT = 32 * 1024;
const SLOW = 1000;

/** A response whose network accepts everything, or nothing at all. */
function responseOver(takes: (chunk: Buffer) => boolean): ServerResponse {
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      if (takes(chunk)) done();
    },
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(Object.assign(socket, { setNoDelay: () => socket }) as unknown as Socket);
  return response;
}

it('C23 a thousand readers that accept nothing are disconnected at their buffer limit, and delay no other', async () => {
  const streams = new MemoryStreamLog({ clock, maxEvents: 50 });
  const reader = {
    page: async () => ({ ok: true as const, page: { entries: [], older: null, newer: '0_' } }),
  };
  const causes = new Map<string, number>();
  const events = {
    ...silentEvents,
    streamClosed: ({ cause }: { cause: string }) => void causes.set(cause, (causes.get(cause) ?? 0) + 1),
  };
  const hub = new StreamHub({ clock, log: silentLogger, events, streams, reader, maxBufferedBytes: LIMIT });
  const slow = Array.from({ length: SLOW }, () => responseOver(() => false));
  await Promise.all(
    slow.map((response, n) => hub.connect({ timeline: 'timeline:local', reader: `slow${n}` }, response)),
  );
  let received = 0;
  const fast = responseOver((chunk) => {
    received += chunk.toString().split('event: new_drop').length - 1;
    return true;
  });
  await hub.connect({ timeline: 'timeline:local', reader: 'fast' }, fast);
  expect(hub.openCount).toBe(SLOW + 1);

  let largest = 0;
  for (let n = 1; n <= 60; n++) {
    await streams.announce([{ id: `${n}`.padStart(1000, 'x'), createdAt: n }], ['timeline:local']);
    // The fast reader has it one iteration of the event loop later, however many slow ones there are.
    await new Promise((resolve) => setImmediate(resolve));
    for (const response of slow) largest = Math.max(largest, response.writableLength);
    expect(received).toBe(n);
  }
  expect(hub.openCount).toBe(1);
  expect(causes.get('slow')).toBe(SLOW);
  // No buffer ever exceeded its limit, and so all of them together did not either.
  expect(largest).toBeLessThanOrEqual(LIMIT);
  await hub[Symbol.asyncDispose]();
  await streams[Symbol.asyncDispose]();
});
