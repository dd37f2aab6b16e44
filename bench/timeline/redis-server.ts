import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { RedisConnection } from '../../src/storage/redis/connection.ts';
import { silentEvents } from '../../src/telemetry/events.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { systemClock } from '../../src/time/clock.ts';

export interface BenchRedis extends AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  connect(): Promise<RedisConnection>;
}

/** A Redis on loopback without persistence; every connection that was opened here is closed with it. */
export async function startBenchRedis(): Promise<BenchRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-timeline-'));
  const port = await freePort();
  // Timelines of a thousand drops are skip lists; short ones are measured as such too.
  const args = ['--port', `${port}`, '--save', '', '--dir', folder, '--zset-max-listpack-entries', '0'];
  const redis = spawn('redis-server', args, { stdio: 'ignore' });
  const open: RedisConnection[] = [];
  const connect = async (): Promise<RedisConnection> => {
    const parts = { clock: systemClock, log: silentLogger, events: silentEvents, timeoutMs: 30_000 };
    const connection = await RedisConnection.open({ nodes: [`127.0.0.1:${port}`], ...parts });
    open.push(connection);
    return connection;
  };
  return {
    port,
    folder,
    connect,
    async [Symbol.asyncDispose]() {
      for (const connection of open) await connection[Symbol.asyncDispose]();
      const gone = once(redis, 'exit');
      redis.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
