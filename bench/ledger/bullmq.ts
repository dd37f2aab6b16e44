import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Sighting } from '../../src/item/item.ts';
import { installPeers, PeersMissingError } from '../install-peers.ts';
import { BATCH, IN_USE, known, mixed } from './articles.ts';

/** The part of BullMQ that is measured. */
interface Queue {
  add(name: string, data: unknown): Promise<unknown>;
  addBulk(jobs: readonly unknown[]): Promise<unknown>;
  obliterate(options: { force: boolean }): Promise<void>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'completed', listener: () => void): void;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}

interface Bullmq {
  Queue: new (name: string, options: unknown) => Queue;
  Worker: new (name: string, work: () => Promise<void>, options: unknown) => Worker;
}

/** BullMQ on a Redis of its own, without persistence. `null` where it cannot be installed; the log has the reason. */
export async function startBullmq(folder: string, log: (line: string) => void) {
  let bullmq: Bullmq;
  try {
    bullmq = installPeers('bullmq', log)('bullmq') as Bullmq;
  } catch (error) {
    if (!(error instanceof PeersMissingError)) throw error;
    log(`without BullMQ: ${error.message}`);
    return null;
  }
  const socket = join(folder, 'redis.sock');
  const redis = spawn(
    'redis-server',
    ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: 'ignore' },
  );
  const failed = once(redis, 'error').then(([error]) => String(error));
  for (let waited = 0; !existsSync(socket); waited += 20) {
    const failure = await Promise.race([failed, setTimeout(20, null)]);
    if (failure === null && waited < 5000) continue;
    log(`without BullMQ: redis-server does not start: ${failure ?? 'no answer'}`);
    redis.kill();
    return null;
  }
  const options = { connection: { path: socket, maxRetriesPerRequest: null } };
  let queues = 0;
  const open = (): { queue: Queue; name: string } => {
    const name = `queue-${queues++}`;
    return { queue: new bullmq.Queue(name, options), name };
  };
  return {
    addBulk: (count: number): Promise<number> => addBulk(open().queue, count),
    addProcessComplete(count: number, concurrency: number): Promise<number> {
      const { queue, name } = open();
      const worker = new bullmq.Worker(name, async () => {}, { ...options, concurrency, autorun: false });
      return addProcessComplete(queue, worker, count, concurrency);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      redis.kill();
      if (redis.exitCode === null) await once(redis, 'exit');
    },
  };
}

/** URLs a second: a job ID is known or new. */
async function addBulk(queue: Queue, count: number): Promise<number> {
  const job = ({ key, ...data }: Sighting) => ({
    name: 'item',
    data,
    // A job ID must not contain a colon.
    opts: { jobId: key.replaceAll(':', '_') },
  });
  const seen = [...known(count)].map(job);
  for (let from = 0; from < seen.length; from += BATCH) await queue.addBulk(seen.slice(from, from + BATCH));
  const batches = mixed(count, 10_000_000).map((batch) => batch.map(job));
  const began = performance.now();
  for (const batch of batches) await queue.addBulk(batch);
  const seconds = (performance.now() - began) / 1000;
  await queue.obliterate({ force: true });
  await queue.close();
  return count / seconds;
}

/** Items a second, each added, processed and completed, in a queue that is in use. */
async function addProcessComplete(
  queue: Queue,
  worker: Worker,
  count: number,
  concurrency: number,
): Promise<number> {
  await worker.waitUntilReady();
  const running = worker.run();
  let completed = 0;
  let whenAll = (): void => {};
  let awaited = 0;
  worker.on('completed', () => {
    completed += 1;
    if (completed === awaited) whenAll();
  });
  const pass = async (items: number): Promise<number> => {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    awaited += items;
    whenAll = resolve;
    const began = performance.now();
    for (let from = 0; from < items; from += concurrency)
      await Promise.all(
        Array.from({ length: Math.min(concurrency, items - from) }, (_, index) =>
          queue.add('item', { n: from + index }),
        ),
      );
    await done;
    return items / ((performance.now() - began) / 1000);
  };
  await pass(IN_USE);
  const rate = await pass(count);
  await worker.close();
  await running;
  await queue.obliterate({ force: true });
  await queue.close();
  return rate;
}
