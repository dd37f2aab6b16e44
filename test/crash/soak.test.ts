import { describe, expect, it } from 'vitest';
import { emulatorForThisFile } from '../emulators.ts';
import { requires } from '../requirements.ts';
import { type Plan, planOf } from './fault-plan.ts';
import { InProcessRunner } from './in-process-run.ts';
import { DESTINATIONS } from './newsroom-config.ts';
import { type SoakOptions, soak } from './soak.ts';

/** Another mix: `CRASH_SEED=7 npx vitest run test/crash`. */
const seed = Number(process.env.CRASH_SEED ?? 1);
/** The same on every machine; `npm run soak` runs as many as requested. */
const ON_FILES = { runs: 30 };
const ON_FIRESTORE = { runs: 4 };

/** Each takes some minutes; `CRASH_ALL=1` takes all. */
const KILLED_AT = process.env.CRASH_ALL === undefined ? (['bot'] as const) : DESTINATIONS;

async function violations(options: Pick<SoakOptions, 'runs' | 'engine' | 'projects'>) {
  const found: string[] = [];
  const report = await soak({
    ...options,
    seed,
    limitMs: Number.POSITIVE_INFINITY,
    onViolation: (words) => found.push(words),
  });
  expect(report.items).toBeGreaterThan(0);
  expect([...report.parked.keys()]).not.toContain('');
  return found;
}

const MIX = 'crashes, lost replies, silence, limits, wrong clocks and stopped workers together';

describe(MIX, () => {
  it('X2 X18 X21 D7 D8 nothing is posted twice and nothing is lost', { timeout: 600_000 }, async () => {
    expect(await violations(ON_FILES)).toEqual([]);
  });

  it('X2 the same seed gives the same plans', () => {
    expect(planOf(3, 14)).toEqual(planOf(3, 14));
    expect(planOf(3, 14)).not.toEqual(planOf(3, 15));
  });
});

requires('gcloud')(`${MIX}, on Firestore`, () => {
  const emulator = emulatorForThisFile('firestore');

  it('X2 X18 X21 D7 D8 nothing is posted twice and nothing is lost', { timeout: 600_000 }, async () => {
    const projects = { emulator: emulator.host };
    expect(await violations({ ...ON_FIRESTORE, engine: 'firestore', projects })).toEqual([]);
  });

  it.each(KILLED_AT)(
    'X2 X21 a curator killed at any point posts nothing twice and loses nothing (%s)',
    {
      timeout: 600_000,
    },
    async (destination) => {
      const runner = await InProcessRunner.open({ emulator: emulator.host });
      try {
        const faultless: Plan['lifetimes'][number] = { after: 0, fault: 'nothing', at: 0, by: 0 };
        const shared = { engine: 'firestore', kind: 'curate', articles: 2, faults: [] } as const;
        const clean: Plan = { ...shared, name: 'clean', destination, lifetimes: [faultless] };
        const { points } = await runner.run(clean);
        expect(points).toEqual(
          expect.arrayContaining(['curator.createDigest:after', 'outbox.finishAndClaimNext:before']),
        );
        for (let at = 1; at <= points.length; at++) {
          const lifetimes = [{ ...faultless, fault: 'crash' as const, at }];
          const found = await runner.run({ ...clean, name: `point ${at}`, lifetimes });
          expect(found, `killed at ${points[at - 1]}`).toMatchObject({
            items: 2,
            lost: [],
            twice: [],
            odd: [],
          });
        }
      } finally {
        await runner[Symbol.asyncDispose]();
      }
    },
  );

  it('X5 a curator killed after the feed is read and before its articles are judged reads it again', {
    timeout: 240_000,
  }, async () => {
    const runner = await InProcessRunner.open({ emulator: emulator.host });
    try {
      const crash: Plan['lifetimes'][number] = { after: 0, fault: 'crash', at: 0, by: 0 };
      const plan: Plan = { ...planOf(1, 1, 'firestore'), kind: 'curate', articles: 2, faults: [] };
      const clean = await runner.run({ ...plan, lifetimes: [{ ...crash, fault: 'nothing' }] });
      const at = clean.points.indexOf('sources.save:after') + 1;
      expect(await runner.run({ ...plan, lifetimes: [{ ...crash, at }] })).toMatchObject({
        items: 2,
        lost: [],
        twice: [],
        odd: [],
      });
    } finally {
      await runner[Symbol.asyncDispose]();
    }
  });
});
