import { join } from 'node:path';
import type { Sighting } from '../../src/item/item.ts';
import { advance, type LifecyclePolicy } from '../../src/item/lifecycle.ts';
import { openSqliteLedger, type SqlitePipelineStores } from '../../src/storage/sqlite/ledger/ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { article, known, mixed } from './articles.ts';

const policy: LifecyclePolicy = { retryLimit: 5, backoff: (attempts) => attempts * 60_000 };
let files = 0;
/** Numbers that no article has used yet. */
let fresh = 10_000_000;

export function openEmpty(folder: string): SqlitePipelineStores {
  files += 1;
  return openSqliteLedger(join(folder, `ours-${files}.db`), { clock: systemClock, policy });
}

/** A ledger in which this many articles wait. */
export async function openFilled(
  folder: string,
  count: number,
  log?: (line: string) => void,
): Promise<SqlitePipelineStores> {
  const stores = openEmpty(folder);
  for (let from = 0; from < count; from += 500) {
    await stores.ledger.admit(
      Array.from({ length: Math.min(500, count - from) }, (_, index) => article(from + index)),
      {},
    );
    if ((from + 500) % 250_000 === 0) log?.(`${from + 500} of ${count}`);
  }
  moveLog(stores);
  return stores;
}

/** Checkpoints what filling left in the write-ahead log. The log's file stays, as in a ledger in use. */
function moveLog({ connection }: SqlitePipelineStores): void {
  connection.all('PRAGMA wal_checkpoint(RESTART)');
}

/** URLs a second, in a new ledger that knows nine of ten, or in the one given. */
export async function knownOrNew(
  folder: string,
  count: number,
  given?: SqlitePipelineStores,
): Promise<number> {
  const stores = given ?? openEmpty(folder);
  try {
    if (given === undefined) {
      await admitAll(stores, known(count));
      moveLog(stores);
    }
    fresh += count;
    const batches = mixed(count, fresh);
    const began = performance.now();
    let found = 0;
    for (const batch of batches)
      found += (await stores.ledger.admit(batch, {})).filter((outcome) => outcome === 'new').length;
    const seconds = (performance.now() - began) / 1000;
    if (found !== count / 10) throw new Error(`${found} were new and not ${count / 10}`);
    return count / seconds;
  } finally {
    if (given === undefined) await stores[Symbol.asyncDispose]();
  }
}

/** Items a second, each claimed and published. */
export async function cycles(
  { ledger }: SqlitePipelineStores,
  count: number,
  concurrency: number,
): Promise<number> {
  let left = count;
  const worker = async (_: unknown, index: number): Promise<void> => {
    while (left-- > 0) {
      const claim = await ledger.claimNext({ owner: `worker-${index}`, leaseMs: 60_000 });
      if (claim === null) throw new Error('there is nothing to do');
      const next = advance(claim.item, { type: 'publish' }, systemClock.now(), policy);
      if (!next.allowed) throw new Error(next.why);
      if ((await ledger.record(claim, next.transition)) !== 'recorded') throw new Error('the claim was lost');
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return count / ((performance.now() - began) / 1000);
}

async function admitAll({ ledger }: SqlitePipelineStores, sightings: Iterable<Sighting>): Promise<void> {
  let batch: Sighting[] = [];
  for (const sighting of sightings) {
    batch.push(sighting);
    if (batch.length < 500) continue;
    await ledger.admit(batch, {});
    batch = [];
  }
  await ledger.admit(batch, {});
}
