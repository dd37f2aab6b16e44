import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
    process.once('exit', () => started.kill('SIGKILL'));
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

/** Three nodes without replicas. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const servers: RedisServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  };
  try {
    for (let n = 0; n < 3; n++) {
      const bus = await freePort();
      servers.push(await startRedis(['--cluster-enabled', 'yes', '--cluster-port', `${bus}`]));
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

async function once(port: number, command: readonly string[]): Promise<unknown> {
  const client = createClient({ RESP: 2, socket: { host: '127.0.0.1', port, reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand([...command]);
  } finally {
    client.destroy();
  }
}
