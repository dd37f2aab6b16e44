import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, openApp } from '../app/app.ts';
import { parseConfig } from '../config/config.ts';
import type { ItemKey } from '../item/item.ts';
import { newEntry } from '../reader/contract/entry-store-subject.ts';
import { openSqliteJudgeStores } from '../storage/sqlite/judge-stores.ts';
import { silentTelemetry } from '../telemetry/telemetry.ts';
import { calendarDay } from '../time/calendar-day.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';

const never = new AbortController().signal;
/** A Wednesday; the Sunday after it begins at 15:00 on Saturday in UTC. */
const WEDNESDAY = Date.UTC(2026, 10, 11, 12);
const SUNDAY_3_IN_TOKYO = Date.UTC(2026, 10, 14, 18);

let folder: string;
let clock: ManualClock;
let app: App;

async function open(more = ''): Promise<App> {
  const text = `
sources: { a: { feed: "https://a.example/feed" } }
pipelines:
  morning: { kind: curate, sources: [a], interests: [{ topic: ships }], publish: [], enabled: false }
${more}`;
  const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return openApp(loaded.config, { telemetry: silentTelemetry, version: '0', clock });
}

async function rejectOne(): Promise<void> {
  const { ledger } = app.pipelines.get('morning') ?? expect.fail('no pipeline');
  const key = 'https://a.example/1' as ItemKey;
  const publishedAt = clock.now();
  await ledger.admit([{ key, url: key, title: 'One', publishedAt, sourceId: 'a', sourceName: 'A' }], {});
  await ledger.intervene(key, { type: 'park', reason: 'by_person' }, 'maria');
  await ledger.intervene(key, { type: 'drop' }, 'maria');
}

const rejected = async (): Promise<number | undefined> =>
  (await app.pipelines.get('morning')?.ledger.counts())?.byState.rejected;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-retention-'));
  clock = new ManualClock(WEDNESDAY);
  app = await open();
  await rejectOne();
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('A14 retention', { timeout: 240_000 }, () => {
  it('A14 rejected items are removed after 30 days, a dry run only counts them', async () => {
    clock.jump(29 * DAY);
    await app.retention.sweep({ dryRun: false }, never);
    expect(await rejected()).toBe(1);
    clock.jump(2 * DAY);
    const dry = await app.retention.sweep({ dryRun: true }, never);
    expect(dry?.pipelines).toMatchObject([{ pipeline: 'morning', swept: { rejected: 1 } }]);
    expect(dry?.judges).toBeNull();
    expect(await rejected()).toBe(1);
    await app.retention.sweep({ dryRun: false }, never);
    expect(await rejected()).toBe(0);
    expect(await app.engine.runs.last('retention')).toMatchObject({
      outcome: 'done',
      summary: 'removed 1 rejected of morning',
    });
  });

  it('X9 records of judges are removed too: calls after a week, verdicts with the articles', async () => {
    const memory = openSqliteJudgeStores(join(folder, 'data', 'judges.db'));
    const now = clock.now();
    const day = calendarDay(now, 'UTC');
    await memory.budgets.reserve('remote/m', { calls: 1, tokens: 5, microUsd: 5 }, {}, now, day);
    await memory.verdicts.put(
      { question: 'screen', textHash: 'h', interestsVersion: '', model: 'm', promptVersion: '1' },
      {
        value: {},
        by: {
          judge: 'remote',
          model: 'm',
          promptVersion: '1',
          provisional: false,
          usage: { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 1, ms: 1 },
        },
        madeAt: now,
      },
    );
    await memory[Symbol.asyncDispose]();
    const sweepJudges = async () => (await app.retention.sweep({ dryRun: false }, never))?.judges;
    clock.jump(6 * DAY);
    expect(await sweepJudges()).toEqual({ calls: 0, verdicts: 0 });
    clock.jump(2 * DAY);
    expect(await sweepJudges()).toEqual({ calls: 1, verdicts: 0 });
    clock.jump(90 * DAY);
    // A sweep of one pipeline does not sweep the judges.
    const one = await app.retention.sweep({ dryRun: false, pipeline: 'morning' }, never);
    expect(one?.judges).toBeNull();
    expect(await sweepJudges()).toEqual({ calls: 0, verdicts: 1 });
  });

  it('R15 articles of the reader are removed too: texts after 30 days, entries after 90', async () => {
    await app[Symbol.asyncDispose]();
    app = await open('retention: { reader: { keep_per_source: 1 } }');
    const { entries } = app.engine;
    await entries.add(
      ['one', 'two'].map((title) => newEntry(title, { publishedAt: clock.now(), content: '<p>x</p>' })),
      clock.now(),
      () => null,
    );
    const sweepReader = async () => (await app.retention.sweep({ dryRun: false }, never))?.reader;
    clock.jump(29 * DAY);
    expect(await sweepReader()).toEqual({ entries: 0, texts: 0 });
    clock.jump(2 * DAY);
    expect(await sweepReader()).toEqual({ entries: 0, texts: 2 });
    clock.jump(60 * DAY);
    expect((await app.retention.sweep({ dryRun: true }, never))?.reader).toBeNull();
    expect(await sweepReader()).toEqual({ entries: 1, texts: 0 });
    expect((await app.engine.runs.last('retention'))?.summary).toBe('removed 1 entries of the reader');
  });

  it('R15 the owner’s limits count for the next sweep, until those of the file are in force again', async () => {
    const { entries } = app.engine;
    const sweepReader = async () => (await app.retention.sweep({ dryRun: false }, never))?.reader;
    await entries.add(
      ['one', 'two'].map((title) => newEntry(title, { publishedAt: clock.now(), content: '<p>x</p>' })),
      clock.now(),
      () => null,
    );
    await app.entryRetention.change({ entriesMs: 200 * DAY, textsMs: null, keepPerSource: 1 }, 'kiku');
    clock.jump(100 * DAY);
    expect(await sweepReader()).toEqual({ entries: 0, texts: 0 });
    await app.entryRetention.change({ textsMs: 10 * DAY }, 'kiku');
    expect(await sweepReader()).toEqual({ entries: 0, texts: 2 });
    expect(await app.entryRetention.report()).toEqual({
      configured: { entriesMs: 90 * DAY, textsMs: 30 * DAY, keepPerSource: 100 },
      effective: { entriesMs: 200 * DAY, textsMs: 10 * DAY, keepPerSource: 1 },
      changed: { by: 'kiku', at: clock.now() },
    });
    await app.entryRetention.change({ entriesMs: 'reset' }, 'kiku');
    expect(await sweepReader()).toEqual({ entries: 1, texts: 0 });
    await app.entryRetention.change({ textsMs: 'reset', keepPerSource: 'reset' }, 'kiku');
    expect((await app.entryRetention.report()).changed).toBeNull();
  });

  it('R15 a sweep of another process uses them too', async () => {
    await app.entryRetention.change({ entriesMs: null }, 'kiku');
    await app[Symbol.asyncDispose]();
    app = await open();
    expect(await app.entryRetention.effective()).toMatchObject({ entriesMs: null, textsMs: 30 * DAY });
  });

  it('A14 runs on schedule on Sunday at 03:00 in Tokyo, once', async () => {
    clock.jump(31 * DAY - (31 % 7) * DAY);
    const due = SUNDAY_3_IN_TOKYO + 28 * DAY;
    const stop = new AbortController();
    const going = app.retention.runOnSchedule({ signal: stop.signal });
    clock.jump(3 * DAY - (clock.now() + 3 * DAY - (due - 2 * MINUTE)));
    expect(clock.now()).toBe(due - 2 * MINUTE);
    await clock.advance(MINUTE);
    expect(await app.engine.runs.last('retention')).toBeNull();
    await clock.advance(2 * MINUTE);
    await expect.poll(() => app.engine.runs.last('retention').then((run) => run?.outcome)).toBe('done');
    expect((await app.engine.runs.last('retention'))?.startedAt).toBe(due);
    expect(await rejected()).toBe(0);
    await clock.advance(HOUR);
    expect(await app.engine.runs.recent('retention', 10)).toHaveLength(1);
    stop.abort();
    await going;
  });

  it('A14 can be disabled', async () => {
    await app[Symbol.asyncDispose]();
    app = await open('retention: { enabled: false }');
    // Otherwise this would not return before the signal.
    await app.retention.runOnSchedule({ signal: never });
  });

  it('A14 one sweep at a time, across replicas', async () => {
    const ticket = await app.engine.runs.begin('retention', 'another replica', MINUTE);
    expect(ticket).not.toBeNull();
    clock.jump(40 * SECOND);
    expect(await app.retention.sweep({ dryRun: false }, never)).toBeNull();
  });
});
