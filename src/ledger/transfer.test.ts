import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { openSqliteLedger, type SqlitePipelineStores } from '../storage/sqlite/ledger/ledger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { keyOf, POLICY, sighting, transition, verdict } from './contract/subject.ts';
import { fingerprint } from './fingerprint.fixture.ts';
import { BadExportError, exportLedger, importLedger } from './transfer.ts';

const clock = new ManualClock();
const options = { clock, policy: POLICY };

describe('transfer between engines', () => {
  let folder: string;
  let source: SqlitePipelineStores;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-transfer-'));
    source = openSqliteLedger(join(folder, 'source.db'), options);
    const all = Array.from({ length: 950 }, (_, index) => sighting(`n${index}`, { publishedAt: index }));
    await source.ledger.admit(all, {});
    const ask = { owner: 'w', leaseMs: 1000, states: ['waiting'] as const };
    for (let n = 0; n < 50; n++) {
      const claim = await source.ledger.claimNext(ask);
      if (claim === null) break;
      const intents = [{ key: `k${n}`, itemKeys: [claim.item.key], destination: 'd', body: `瓦${n}` }];
      const accept = transition(claim.item, { type: 'accept' }, clock.now());
      await source.ledger.record(claim, accept, { verdict: verdict({ score: n }), messages: intents });
    }
  });
  afterEach(async () => {
    await source[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('X14 SQLite → memory → SQLite loses and duplicates nothing, by count and hash, and reports its progress', async () => {
    const before = await fingerprint(source.ledger);
    expect(before).toMatchObject({ items: 950, deliveries: 50, tombstones: 0 });
    const memory = openMemoryLedger(options);
    const seen: string[] = [];
    const lines = await gather(exportLedger(source.ledger));
    const report = await importLedger(() => each(lines), memory.ledger, {
      onProgress: ({ phase, records }) => seen.push(`${phase} ${records}`),
    });
    expect(report).toMatchObject({ records: 1000, loaded: 1000, there: 0 });
    expect(seen).toContain('checking 200');
    expect(seen.at(-1)).toBe('importing 1000');
    expect(await fingerprint(memory.ledger)).toEqual(before);

    const target = openSqliteLedger(join(folder, 'target.db'), options);
    try {
      const back = await gather(exportLedger(memory.ledger));
      await importLedger(() => each(back), target.ledger);
      expect(await fingerprint(target.ledger)).toEqual(before);
      expect(await target.ledger.counts()).toEqual(await source.ledger.counts());
      expect(await importLedger(() => each(back), target.ledger)).toMatchObject({ loaded: 0, there: 1000 });
      expect(await fingerprint(target.ledger)).toEqual(before);
    } finally {
      await target[Symbol.asyncDispose]();
    }
  });

  it('a truncated, changed or foreign file is refused, and nothing is stored', async () => {
    const lines = await gather(exportLedger(source.ledger));
    const changed = lines.map((line) => line.replace('About n7"', 'About n8"'));
    const wrong = lines.with(3, lines[3]?.replace(/"attempts":0/, '"attempts":"0"') ?? '');
    const bad: [readonly string[], RegExp][] = [
      [lines.slice(0, -1), /Line 1002 .*cut off/],
      [lines.toSpliced(5, 1), /Line 1001 .*1000 records were written, and 999 are here/],
      [[...lines, lines[5] ?? ''], /more after its end/],
      [changed, /changed after they were written/],
      [wrong, /Line 4 .*item\.attempts: .*expected number/],
      [['hello', ...lines], /not the export of a ledger/],
      [['{"kawaraban":"ledger","version":9}', ...lines.slice(1)], /reads version 1 and not 9/],
      [[], /cut off/],
      [lines.with(2, '{"kind":"item"'), /Line 3/],
    ];
    for (const [file, message] of bad) {
      const memory = openMemoryLedger(options);
      const refusal: unknown = await importLedger(() => each(file), memory.ledger).catch((error) => error);
      expect(refusal).toBeInstanceOf(BadExportError);
      expect(String(refusal)).toMatch(message);
      expect((await fingerprint(memory.ledger)).items).toBe(0);
    }
  });

  it('a stopped import continues the next time', async () => {
    const lines = await gather(exportLedger(source.ledger));
    const memory = openMemoryLedger(options);
    const stop = new AbortController();
    const first = importLedger(() => each(lines), memory.ledger, {
      signal: stop.signal,
      onProgress: ({ phase }) => phase === 'importing' && stop.abort(),
    });
    await expect(first).rejects.toThrow();
    expect((await fingerprint(memory.ledger)).items).toBe(200);
    expect(await importLedger(() => each(lines), memory.ledger)).toMatchObject({ loaded: 800, there: 200 });
    expect(await fingerprint(memory.ledger)).toEqual(await fingerprint(source.ledger));
    expect(await memory.ledger.find(keyOf('n949'))).not.toBeNull();
  });
});

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const one of all) gathered.push(one);
  return gathered;
}
