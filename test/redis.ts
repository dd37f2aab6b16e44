import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'redis';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../scripts/free-port.ts';

/** A real Redis on loopback for the duration of a test file. */
export interface RedisServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  /** As `kill -9`: everything that is not on the disk is lost. */
  kill(): Promise<void>;
  /** On the same port and the same folder as before. */
  start(): Promise<void>;
  /** The process runs and does not answer. */
  hang(): void;
  resume(): void;
  /** Runs one command, bypassing the code under test. */
  command(...args: string[]): Promise<unknown>;
}

const READY_WITHIN = 110_000;

export async function startRedis(
  settings: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-redis-'));
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...settings];
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => running.once('exit', () => resolve()));
    running.kill('SIGKILL');
    await exited;
  };
  const start = async (): Promise<void> => {
    const started = spawn('redis-server', args, { stdio: 'ignore', env: { ...process.env, ...env } });
    child = started;
    killAtExit(started);
    await answering(port);
  };
  await start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    kill,
    start,
    hang: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    command: (...command) => once(port, command),
    async [Symbol.asyncDispose]() {
      child?.kill('SIGCONT');
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface RedisCluster extends AsyncDisposable {
  readonly servers: readonly RedisServer[];
  readonly addresses: readonly string[];
}

/** Three nodes without replicas. `settingsOf` gives further settings of a node. */
export async function startRedisCluster(
  settingsOf: () => Promise<readonly string[]> = async () => [],
): Promise<RedisCluster> {
  const servers: RedisServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  };
  try {
    for (let n = 0; n < 3; n++) {
      const bus = await freePort();
      const more = await settingsOf();
      servers.push(await startRedis(['--cluster-enabled', 'yes', '--cluster-port', `${bus}`, ...more]));
    }
    const addresses = servers.map((server) => server.address);
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
    for (const server of servers)
      for (const deadline = performance.now() + READY_WITHIN; ; ) {
        if (String(await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) break;
        if (performance.now() > deadline) throw new Error('The cluster did not come up.');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    return { servers, addresses, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface RedisSentinels extends AsyncDisposable {
  /** The first is the master, the second its replica. */
  readonly servers: readonly [RedisServer, RedisServer];
  readonly addresses: readonly string[];
}

/** A master with a replica, and three Sentinels that call it `news` and have a password. */
export async function startRedisSentinels(
  settings: readonly string[],
  sentinelPassword: string,
): Promise<RedisSentinels> {
  const stack = new AsyncDisposableStack();
  try {
    const master = stack.use(await startRedis(settings));
    const replica = stack.use(await startRedis([...settings, '--replicaof', '127.0.0.1', `${master.port}`]));
    const ports = [await freePort(), await freePort(), await freePort()];
    for (const port of ports) {
      const folder = mkdtempSync(join(tmpdir(), 'kawaraban-sentinel-'));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      // Sentinels write what they learn into their file.
      const file = join(folder, 'sentinel.conf');
      writeFileSync(
        file,
        `port ${port}
bind 127.0.0.1
dir ${folder}
requirepass ${sentinelPassword}
sentinel sentinel-pass ${sentinelPassword}
sentinel monitor news 127.0.0.1 ${master.port} 2
sentinel down-after-milliseconds news 1000
sentinel failover-timeout news 5000
`,
      );
      const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
      killAtExit(child);
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      stack.defer(async () => {
        child.kill('SIGKILL');
        await exited;
      });
    }
    for (const port of ports)
      for (const deadline = performance.now() + READY_WITHIN; ; ) {
        const known = await once(port, ['SENTINEL', 'MASTER', 'news'], sentinelPassword).catch(() => null);
        const fields = Array.isArray(known) ? known.map(String) : [];
        const field = (name: string) => fields[fields.indexOf(name) + 1];
        if (field('num-slaves') === '1' && field('num-other-sentinels') === '2') break;
        if (performance.now() > deadline) throw new Error('The Sentinels did not find each other.');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    const running = stack.move();
    return {
      servers: [master, replica],
      addresses: ports.map((port) => `127.0.0.1:${port}`),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Started before the first test of a file, stopped after the last. */
export function forThisFile<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let running: T | null = null;
  beforeAll(async () => {
    running = await start();
  }, 240_000);
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
  });
  return () => {
    if (running === null) throw new Error('Redis runs only while tests do.');
    return running;
  };
}

async function answering(port: number): Promise<void> {
  for (const deadline = performance.now() + READY_WITHIN; ; ) {
    try {
      if ((await once(port, ['PING'])) === 'PONG') return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

async function once(port: number, command: readonly string[], password?: string): Promise<unknown> {
  const client = createClient({
    RESP: 2,
    ...(password !== undefined && { password }),
    socket: { host: '127.0.0.1', port, reconnectStrategy: false },
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand([...command]);
  } finally {
    client.destroy();
  }
}

/** A worker of the tests that ends early must not leave a server behind. */
function killAtExit(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
