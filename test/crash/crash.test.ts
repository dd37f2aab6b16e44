import { describe, expect, it } from 'vitest';
import { rngOf } from '../../simulator/world/rng.ts';
import { HOUR } from '../../src/time/duration.ts';
import { emulatorForThisFile } from '../emulators.ts';
import { requires } from '../requirements.ts';
import type { Findings } from './findings.ts';
import { whereOf } from './firestore-projects.ts';
import { DESTINATIONS, type Destination, type EngineName, KINDS, type Kind } from './newsroom-config.ts';
import { ProcessRunner, type ProcessRunOptions } from './process-run.ts';

/** Another sample: `CRASH_SEED=7 npx vitest run test/crash`. */
const seed = Number(process.env.CRASH_SEED ?? 1);
const CLEAN = { twice: [], lost: [], odd: [] };

/** The names of the points that bracket every effect. */
const POINTS = [
  'runs.begin:after',
  'ledger.admit:after',
  'sources.save:before',
  'ledger.record:before',
  'ledger.record:after',
  'outbox.claimNext:after',
  'outbox.markSending:after',
  'publisher.send:after',
  'social.post:after',
  'outbox.finishAndClaimNext:before',
  'outbox.finishAndClaimNext:after',
];

/** A curator on Firestore has a store of its own: its verdicts and digests are written there, without claims. */
const CURATOR_POINTS = [
  ...POINTS.filter((point) => !/^(ledger\.record|outbox\.(claimNext|markSending))/.test(point)),
  'curator.saveVerdict:before',
  'curator.createDigest:before',
  'curator.createDigest:after',
  'curator.updatePending:before',
];

/** Every pipeline at every destination, each at a point of the seed's choosing. */
function sample(name: EngineName): [Kind, Destination, string][] {
  const rng = rngOf('crash', name, seed);
  return KINDS.flatMap((kind) => {
    const points = kind === 'curate' && name === 'firestore' ? CURATOR_POINTS : POINTS;
    return DESTINATIONS.map((destination): [Kind, Destination, string] => [
      kind,
      destination,
      rng.pick(points),
    ]);
  });
}

async function on<T>(
  options: Parameters<typeof ProcessRunner.open>[0],
  work: (runner: ProcessRunner) => Promise<T>,
): Promise<T> {
  const runner = await ProcessRunner.open(options);
  try {
    return await work(runner);
  } finally {
    await runner[Symbol.asyncDispose]();
  }
}

async function killed(options: ProcessRunOptions, point: string): Promise<void> {
  await on(options, async (runner) => {
    const { killed: exit, found } = await runner.killAt(point);
    expect(exit).toMatchObject({ signal: 'SIGKILL' });
    expect(found).toMatchObject(CLEAN);
    expect(found.items).toBeGreaterThan(0);
  });
}

function parkedIn({ parked }: Findings): number {
  return [...parked.values()].reduce((sum, n) => sum + n, 0);
}

describe('killed with SIGKILL and restarted', { timeout: 240_000 }, () => {
  for (const [kind, destination, point] of sample('sqlite')) {
    it(`X2 D7 ${kind} → ${destination}, at ${point}: nothing is lost, nothing is sent twice`, () =>
      killed({ kind, destination }, point));
  }

  it('X2 a curator killed between sending a digest and recording its items records them in the next run', () =>
    on({ kind: 'curate', destination: 'bot' }, async (runner) => {
      const { found } = await runner.killAt('outbox.finishAndClaimNext:after');
      expect(found).toMatchObject({ ...CLEAN, items: 3 });
      expect(parkedIn(found)).toBe(0);
    }));

  it('X2 killed while sending to a webhook: posted at most once, and parked for a person', () =>
    on({ kind: 'summarise', destination: 'webhook' }, async (runner) => {
      const { found } = await runner.killAt('publisher.send:after');
      expect(found).toMatchObject(CLEAN);
      expect(parkedIn(found)).toBe(1);
    }));
});

requires('gcloud')('killed with SIGKILL and restarted, on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  // One of each pipeline: a start of the program on Firestore takes seconds.
  for (const [kind, destination, point] of sample('firestore').filter((_, n) => n % 4 === seed % 4))
    it(
      `X2 D7 ${kind} → ${destination}, at ${point}: nothing is lost, nothing is sent twice`,
      {
        timeout: 240_000,
      },
      () => killed({ kind, destination, where: whereOf('firestore', { emulator: emulator.host }) }, point),
    );
});

describe('stopped with SIGSTOP and continued after its leases expired', { timeout: 240_000 }, () => {
  it('X21 it neither publishes nor overwrites what another replica has done meanwhile', () =>
    on({ kind: 'summarise', destination: 'mastodon' }, async (runner) => {
      const stopped = runner.start({ rounds: [0], end: { at: 'outbox.markSending:after', by: 'SIGSTOP' } });
      await expect.poll(() => stopped.points(), { timeout: 120_000 }).not.toBeNull();
      const other = await runner.start({ rounds: [2 * HOUR, 2 * HOUR] }).ended;
      expect(other).toMatchObject({ code: 0 });
      const before = runner.simulator.mastodon.statuses().length;
      stopped.child.kill('SIGCONT');
      expect(await stopped.ended).toMatchObject({ code: 0 });
      expect(runner.simulator.mastodon.statuses()).toHaveLength(before);
      expect(await runner.findings()).toMatchObject({ ...CLEAN, items: 3 });
    }));
});
