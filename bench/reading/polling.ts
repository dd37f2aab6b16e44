import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { createFetcher } from '../../src/fetch/create-fetcher.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { rounds } from '../rounds.ts';

const FEEDS = 1000;
const CONCURRENCY = 32;
const MAX_RATIO = 1.5;
const headers = { 'if-none-match': '"1"' };

/** A thousand conditional requests through the guarded fetcher, beside the bare client at the same concurrency. */
export async function polling({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const server = new Worker(new URL('feed-server.ts', import.meta.url));
  const [port] = (await once(server, 'message')) as [number];
  const fetcher = createFetcher({
    clock: systemClock,
    log: silentLogger,
    allow: ['127.0.0.1'],
    contact: 'https://example.org/',
    limits: { perHost: CONCURRENCY, spacingMs: 0 },
  });
  const agent = new Agent();
  try {
    const medians = await rounds(quick ? 21 : 41, {
      ours: () =>
        poll(async (n) => {
          const answer = await fetcher.fetch({ url: `http://127.0.0.1:${port}/feed/${n}`, headers });
          return answer.outcome === 'response' ? answer.status : 0;
        }),
      bare: () =>
        poll(async (n) => {
          const answer = await request(`http://127.0.0.1:${port}/feed/${n}`, { dispatcher: agent, headers });
          await answer.body.arrayBuffer();
          return answer.statusCode;
        }),
    });
    log(`polling: ours ${medians.ours.toFixed(0)} ms, bare ${medians.bare.toFixed(0)} ms`);
    return [
      result({
        name: `poll ${FEEDS} feeds, 90% not modified, ${CONCURRENCY} at a time`,
        ours: medians.ours,
        unit: 'ms',
        peer: { name: 'undici alone', value: medians.bare },
        goal: `at most ${MAX_RATIO}× the bare client`,
        met: medians.ours <= MAX_RATIO * medians.bare,
      }),
    ];
  } finally {
    await fetcher[Symbol.asyncDispose]();
    await agent.destroy();
    await server.terminate();
  }
}

async function poll(read: (feed: number) => Promise<number>): Promise<number> {
  const began = performance.now();
  let next = 0;
  let unchanged = 0;
  const lane = async (): Promise<void> => {
    while (next < FEEDS) if ((await read(next++)) === 304) unchanged++;
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  if (unchanged !== FEEDS * 0.9) throw new Error(`${unchanged} feeds were unchanged`);
  return performance.now() - began;
}
