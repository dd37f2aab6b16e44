import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, type Result, result } from './bench.ts';
import { IN_USE } from './ledger/articles.ts';
import { bareLoop } from './ledger/bare-loop.ts';
import { startBullmq } from './ledger/bullmq.ts';
import { memoryWhileAdmitting } from './ledger/memory.ts';
import { cycles, knownOrNew, openFilled } from './ledger/sqlite-ledger.ts';
import { rounds } from './rounds.ts';

export const about = 'known or new, claim → publish, a million items, beside a bare loop and BullMQ';

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-'));
  const bullmq = await startBullmq(folder, log);
  try {
    return [
      ...(await admission(folder, bullmq, quick, log)),
      ...(await cycle(folder, bullmq, quick, log)),
      ...(await scale(folder, quick, log)),
      await memory(quick, log),
    ];
  } finally {
    await bullmq?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Bullmq = Awaited<ReturnType<typeof startBullmq>>;
type Log = BenchOptions['log'];

async function admission(folder: string, bullmq: Bullmq, quick: boolean, log: Log): Promise<Result[]> {
  const urls = quick ? 10_000 : 100_000;
  log(`known or new: ${urls} URLs in batches of 200, 10% new`);
  const rates = await rounds(quick ? 2 : 3, {
    ours: () => knownOrNew(folder, urls),
    bare: () => bareLoop(folder, urls),
    // A rate, so fewer suffice: this contestant is slow.
    bullmq: () => bullmq?.addBulk(quick ? 2_000 : 10_000) ?? Number.NaN,
  });
  log(JSON.stringify(rates));
  const same = { name: 'known or new, 10% new', ours: Math.round(rates.ours), unit: 'URLs/s' };
  return [
    result({
      ...same,
      limit: { name: 'bare prepared-statement loop', value: Math.round(rates.bare) },
      goal: 'at least 0.5× the bare loop',
      met: rates.ours >= 0.5 * rates.bare,
    }),
    result({
      ...same,
      peer: peer('BullMQ addBulk with job IDs', rates.bullmq),
      goal: 'at least 5× BullMQ',
      met: bullmq !== null && rates.ours >= 5 * rates.bullmq,
    }),
  ];
}

async function cycle(folder: string, bullmq: Bullmq, quick: boolean, log: Log): Promise<Result[]> {
  const results: Result[] = [];
  for (const [concurrency, times] of [
    [1, 2],
    [32, 1],
  ] as const) {
    log(`claim → publish, ${concurrency} at a time`);
    const items = quick ? 800 : 3000;
    // Disk latency varies: the median of many.
    const rates = await rounds(quick ? 2 : 9, {
      ours: async () => {
        const stores = await openFilled(folder, 10_000);
        try {
          await cycles(stores, IN_USE, concurrency);
          return await cycles(stores, items, concurrency);
        } finally {
          await stores[Symbol.asyncDispose]();
        }
      },
      bullmq: () => bullmq?.addProcessComplete(items, concurrency) ?? Number.NaN,
    });
    log(JSON.stringify(rates));
    results.push(
      result({
        name: `claim → publish, ${concurrency} at a time`,
        ours: Math.round(rates.ours),
        unit: 'items/s',
        peer: peer('BullMQ add → process → complete', rates.bullmq),
        goal: `at least ${times}× BullMQ`,
        met: bullmq !== null && rates.ours >= times * rates.bullmq,
      }),
    );
  }
  return results;
}

/** Both again with a hundred times as many items in the table. */
async function scale(folder: string, quick: boolean, log: Log): Promise<Result[]> {
  const many = quick ? 50_000 : 1_000_000;
  log(`filling a table with ${many} items`);
  const [few, full] = [await openFilled(folder, 10_000), await openFilled(folder, many, log)];
  try {
    // Each is short, and one in which the log is copied takes twice as long.
    const runs = quick ? 2 : 15;
    const asked = quick ? 4_000 : 10_000;
    const admitted = await rounds(runs, {
      few: () => knownOrNew(folder, asked, few),
      full: () => knownOrNew(folder, asked, full),
    });
    const published = await rounds(runs, {
      few: () => cycles(few, 1000, 1),
      full: () => cycles(full, 1000, 1),
    });
    log(JSON.stringify({ admitted, published }));
    const of = (name: string, unit: string, rate: { few: number; full: number }): Result =>
      result({
        name: `${name} with ${many.toLocaleString('en')} items`,
        ours: Math.round(rate.full),
        unit,
        limit: { name: 'the same with 10,000', value: Math.round(rate.few) },
        goal: 'within 1.5×',
        met: rate.few <= 1.5 * rate.full,
      });
    return [of('known or new', 'URLs/s', admitted), of('claim → publish', 'items/s', published)];
  } finally {
    await few[Symbol.asyncDispose]();
    await full[Symbol.asyncDispose]();
  }
}

async function memory(quick: boolean, log: Log): Promise<Result> {
  const items = quick ? 200_000 : 1_000_000;
  log(`memory while ${items} items are admitted`);
  const { growth } = await memoryWhileAdmitting(items);
  return result({
    name: `growth of memory while ${items.toLocaleString('en')} items are admitted`,
    ours: growth,
    unit: 'MB',
    limit: { name: 'most allowed', value: 20 },
    goal: 'flat, ±20 MB',
    met: Math.abs(growth) <= 20,
  });
}

function peer(name: string, value: number): { name: string; value: number } | null {
  return Number.isNaN(value) ? null : { name, value: Math.round(value) };
}
