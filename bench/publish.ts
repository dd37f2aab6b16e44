import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulatorBeside } from '../simulator/simulator-process.ts';
import { createFetcher } from '../src/fetch/create-fetcher.ts';
import type { Fetcher } from '../src/fetch/fetcher.ts';
import { discordWebhook } from '../src/publishers/discord/webhook.ts';
import { mastodonPublisher } from '../src/publishers/mastodon/mastodon.ts';
import type { Publisher } from '../src/publishers/publisher.ts';
import { parseTemplate } from '../src/publishers/template.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock as clock } from '../src/time/clock.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { bareLoop } from './publish/bare-loop.ts';
import { type PublishRun, publishRun } from './publish/run.ts';

export const about = 'from admitted to recorded, beside what latency and rate limits alone would need';

const LATENCY_MS = 20;
/** A limit that dominates: lower than the latency would allow. */
const LIMIT = { requests: 30, perMs: 1000 };

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-publish-'));
  const simulator = await startSimulatorBeside({
    latencyMs: LATENCY_MS,
    mastodon: { limits: false },
    discord: { limits: { webhook: LIMIT, global: { requests: 1_000_000, perMs: 1000 } } },
  });
  const fetcher = createFetcher({ clock, log: silentLogger, allow: ['127.0.0.1'] });
  try {
    const account = mastodonOn(simulator.urls.mastodon, simulator.mastodonToken, fetcher);
    const webhook = discordWebhook({ id: 'discord', url: () => simulator.discordWebhook, fetcher, clock });
    const items = quick ? 250 : 1000;
    // Warm-up: connections, statements and compiled code.
    await publishRun(folder, account, 20);
    log(`${items} items to Mastodon, answers after ${LATENCY_MS} ms`);
    const wire = { instance: simulator.urls.mastodon, token: simulator.mastodonToken, count: items / 5 };
    const before = await bareLoop(fetcher, wire);
    const latency = await publishRun(folder, account, items);
    const roundTrip = (before + (await bareLoop(fetcher, wire))) / 2;
    log(JSON.stringify({ ...latency, roundTrip }));
    log(`${items} items to Discord, ${LIMIT.requests} a second at most`);
    const limited = await publishRun(folder, webhook, items);
    log(JSON.stringify(limited));
    return [
      timed(
        `${items} items, answers after ${LATENCY_MS} ms`,
        latency,
        'a bare loop of requests',
        items * roundTrip,
      ),
      timed(
        `${items} items, ${LIMIT.requests} a second allowed`,
        limited,
        'the rate limit alone',
        limitAlone(items),
      ),
      result({
        name: 'durable writes of the outbox per message',
        ours: Math.max(latency.writesPerMessage, limited.writesPerMessage),
        unit: 'writes',
        limit: { name: 'maximum after enqueueing', value: 2 },
        goal: 'at most 2',
        met: Math.max(latency.writesPerMessage, limited.writesPerMessage) <= 2,
      }),
    ];
  } finally {
    await fetcher[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Windows that are used up one after the other, and the messages of the last one. */
function limitAlone(items: number): number {
  const windows = Math.floor((items - 1) / LIMIT.requests);
  return windows * LIMIT.perMs + (items - windows * LIMIT.requests) * LATENCY_MS;
}

function timed(name: string, { ms }: PublishRun, what: string, alone: number): Result {
  return result({
    name,
    ours: Math.round(ms),
    unit: 'ms',
    limit: { name: what, value: Math.round(alone) },
    goal: 'at most 1.2×',
    met: ms <= 1.2 * alone,
  });
}

function mastodonOn(instance: string, token: string, fetcher: Fetcher): Publisher {
  const parsed = parseTemplate('{title}\n\n{summary}\n\n{url}');
  if (!parsed.ok) throw new Error(parsed.problem);
  const { template } = parsed;
  return mastodonPublisher({
    id: 'm',
    instance,
    token: () => token,
    visibility: 'public',
    template,
    fetcher,
    clock,
  });
}
