import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import { SqliteLeaseStore } from '../storage/sqlite/lease-store.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { TimelinesUnavailableError } from '../timelines/timeline-store.ts';
import { checkLiveness, checkReadiness, type HealthDependencies, Heartbeats } from './health.ts';
import { ALL_ROLES, type Role, SCHEDULER_LEASE } from './roles.ts';

function setup(roles: readonly Role[] = [...ALL_ROLES]) {
  const clock = new ManualClock();
  const leases = new SqliteLeaseStore(':memory:', clock);
  onTestFinished(() => leases[Symbol.asyncDispose]());
  const broken = new Set<string>();
  const answer = (part: string) => async () => {
    if (broken.has(part)) throw new Error(`${part} is away`);
    return {} as never;
  };
  const sources = new MemorySourceStore();
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-ready-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = { stopping: false };
  const deps: HealthDependencies = {
    roles: new Set(roles),
    engine: 'embedded',
    dataFolder: folder,
    pipelines: new Map([
      ['morning', { id: 'morning', ledger: { counts: answer('ledger') } } as unknown as Pipeline],
    ]),
    sources: Object.assign(sources, { list: answer('sources') }),
    timelines: {
      page: async () => {
        if (broken.has('Redis')) throw new TimelinesUnavailableError();
        return answer('timelines')();
      },
    },
    social: { getFollowersPage: answer('services'), getDropsByUserId: answer('services') },
    leases,
    owner: 'me',
    heartbeats: new Heartbeats(clock),
    stopping: () => state.stopping,
  };
  return { clock, leases, broken, state, deps };
}

describe('readiness', () => {
  it.each([
    ['web', ['disk', 'sources', 'ledger:morning', 'timelines']],
    ['timeline', ['timelines']],
    ['worker', ['disk', 'sources', 'ledger:morning']],
    ['scheduler', ['disk', 'sources', 'ledger:morning', 'scheduler']],
  ] as const)('C24 of %s asks what that role needs', async (role, names) => {
    const { deps, broken } = setup([role]);
    const whole = await checkReadiness(deps);
    expect(whole.ready).toBe(true);
    expect(Object.keys(whole.parts)).toEqual(names);
    broken.add('ledger');
    expect((await checkReadiness(deps)).ready).toBe(role === 'timeline');
  });

  it('C24 names the stores that fail', async () => {
    const { deps, broken } = setup();
    broken.add('timelines');
    expect(await checkReadiness(deps)).toMatchObject({
      ready: false,
      parts: { timelines: { ok: false, detail: 'timelines is away' }, sources: { ok: true } },
    });
  });

  it('C18 C24 without Redis it is ready as long as the services answer that serve home timelines', async () => {
    const { deps, broken } = setup();
    broken.add('Redis');
    expect(await checkReadiness(deps)).toMatchObject({
      ready: true,
      parts: { timelines: { ok: false, detail: expect.stringMatching(/^Redis is unavailable: .*home/) } },
    });
    broken.add('services');
    expect(await checkReadiness(deps)).toMatchObject({
      ready: false,
      parts: { timelines: { ok: false, detail: 'services is away' } },
    });
  });

  it('C24 a standby scheduler is ready, and names the leader', async () => {
    const { deps, leases } = setup(['scheduler']);
    await leases.acquire(SCHEDULER_LEASE, 'other', 1000);
    expect(await checkReadiness(deps)).toMatchObject({
      ready: true,
      parts: { scheduler: { detail: 'standby of other' } },
    });
  });

  it('C24 ends as soon as the program stops', async () => {
    const { deps, state } = setup();
    state.stopping = true;
    expect(await checkReadiness(deps)).toMatchObject({
      ready: false,
      parts: { program: { detail: 'shutting down' } },
    });
  });
});

describe('liveness', () => {
  it('C24 ends when a loop hangs, and not when an outside service is unavailable', async () => {
    const { deps, clock, broken } = setup();
    deps.heartbeats.beat('dispatch:morning', 1000);
    broken.add('ledger');
    expect(checkLiveness(deps)).toEqual({ alive: true });
    await clock.advance(1001);
    expect(checkLiveness(deps)).toEqual({ alive: false, hung: ['dispatch:morning'] });
    deps.heartbeats.beat('dispatch:morning', 1000);
    expect(checkLiveness(deps).alive).toBe(true);
    await clock.advance(5000);
    deps.heartbeats.remove('dispatch:morning');
    expect(checkLiveness(deps).alive).toBe(true);
  });
});
