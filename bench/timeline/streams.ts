import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemoryTimelineBackend } from '../../src/storage/memory/timelines.ts';
import { SqliteSocialStore } from '../../src/storage/sqlite/social-store.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { systemClock as clock } from '../../src/time/clock.ts';
import { startTimelines } from '../../src/timelines/timeline-service.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { rounds } from '../rounds.ts';

/** Open streams in one process: what each costs, and one event to all of them beside a bare loop of `write`. */
export async function streamResults({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const count = quick ? 2_000 : 10_000;
  const social = SqliteSocialStore.open({ path: ':memory:', clock });
  const backend = createMemoryTimelineBackend({ clock, log: silentLogger });
  const service = await startTimelines({
    social,
    changes: social.changes,
    backend,
    clock,
    log: silentLogger,
  });
  const connections: Socket[] = [];
  const http = createServer((request, response) => {
    void service.streams.connect({ timeline: 'timeline:local', reader: request.url ?? '' }, response);
  });
  http.on('connection', (socket: Socket) => void connections.push(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const before = kept();
  const child = fork(join(import.meta.dirname, 'streams-child.ts'), [`${port}`, `${count}`]);
  try {
    const left = once(child, 'exit').then(() => {
      throw new Error('the readers could not connect');
    });
    await Promise.race([once(child, 'message'), left]);
    const grown = (process.memoryUsage().rss - before) / count;
    const each = (kept() - before) / count;
    log(
      `${service.streams.openCount} streams open, ${Math.round(each)} bytes each; ${Math.round(grown)} with what opening them left behind`,
    );
    let drops = 0;
    const frame = `event: new_drop\nid: 1700000000000_${'x'.repeat(36)}~0123456789ab.1\ndata: {"drop_id":"${'x'.repeat(36)}"}\n\n`;
    // CPU time, until the last byte is written to the network: other programs on the machine do not count.
    const timed = async (work: () => void | Promise<void>): Promise<number> => {
      await clock.sleep(100);
      const began = process.cpuUsage();
      await work();
      await setImmediate();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    };
    const measured = await rounds(quick ? 15 : 25, {
      ours: () =>
        timed(() => {
          const id = `${++drops}`.padStart(36, 'x');
          return backend.streams.announce([{ id, createdAt: clock.now() }], ['timeline:local']);
        }),
      bare: () =>
        timed(() => {
          for (const connection of connections) connection.write(frame);
        }),
    });
    log(JSON.stringify(measured));
    const memory = (how: string, bytes: number): Result =>
      result({
        name: `memory of one of ${count} open streams, ${how}`,
        ours: Math.round(bytes),
        unit: 'bytes',
        limit: { name: 'most allowed', value: 20_000 },
        goal: 'at most 20 KB',
        met: bytes <= 20_000,
      });
    return [
      memory('as the process stands', grown),
      memory('after a collection', each),
      result({
        name: `one event to ${count} streams`,
        ours: Number(measured.ours.toFixed(2)),
        unit: 'ms of processor',
        limit: { name: 'a bare loop of write', value: Number(measured.bare.toFixed(2)) },
        goal: 'at most 1.5×',
        met: measured.ours <= 1.5 * measured.bare,
      }),
    ];
  } finally {
    child.disconnect();
    await service[Symbol.asyncDispose]();
    http.closeAllConnections();
    http.close();
    await social[Symbol.asyncDispose]();
  }
}

/**
 * Memory of the process without free heap. A normal collection keeps space for new objects, some tens
 * of megabytes that belong to no stream; this one returns it.
 */
function kept(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  for (let n = 0; n < 2; n++) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return process.memoryUsage().rss;
}
