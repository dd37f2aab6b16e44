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

function room(roles: readonly Role[] = [...ALL_ROLES]) {
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
  return { clock, leases, broken, state, parts: deps };
}

describe('readiness', () => {
  it.each([
    ['web', ['disk', 'sources', 'ledger:morning', 'timelines']],
    ['timeline', ['timelines']],
    ['worker', ['disk', 'sources', 'ledger:morning']],
    ['scheduler', ['disk', 'sources', 'ledger:morning', 'scheduler']],
  ] as const)('C24 of %s asks what that role needs', async (role, names) => {
    const { parts, broken } = room([role]);
    const whole = await checkReadiness(parts);
    expect(whole.ready).toBe(true);
    expect(Object.keys(whole.parts)).toEqual(names);
    broken.add('ledger');
    expect((await checkReadiness(parts)).ready).toBe(role === 'timeline');
  });

  it('C24 names what is away', async () => {
    const { parts, broken } = room();
    broken.add('timelines');
    expect(await checkReadiness(parts)).toMatchObject({
      ready: false,
      parts: { timelines: { ok: false, detail: 'timelines is away' }, sources: { ok: true } },
    });
  });

  it('C18 C24 without Redis it is ready as long as the services answer, from which homes are served', async () => {
    const { parts, broken } = room();
    broken.add('Redis');
    expect(await checkReadiness(parts)).toMatchObject({
      ready: true,
      parts: { timelines: { ok: false, detail: expect.stringMatching(/^Redis is away: .*home/) } },
    });
    broken.add('services');
    expect(await checkReadiness(parts)).toMatchObject({
      ready: false,
      parts: { timelines: { ok: false, detail: 'services is away' } },
    });
  });

  it('C24 a scheduler that stands by is ready, and says for whom', async () => {
    const { parts, leases } = room(['scheduler']);
    await leases.acquire(SCHEDULER_LEASE, 'other', 1000);
    expect(await checkReadiness(parts)).toMatchObject({
      ready: true,
      parts: { scheduler: { detail: 'stands by for other' } },
    });
  });

  it('C24 ends as soon as the program stops', async () => {
    const { parts, state } = room();
    state.stopping = true;
    expect(await checkReadiness(parts)).toMatchObject({
      ready: false,
      parts: { program: { detail: 'it is stopping' } },
    });
  });
});

describe('liveness', () => {
  it('C24 ends when a loop does not come back, and not when something outside is away', async () => {
    const { parts, clock, broken } = room();
    parts.heartbeats.beat('press:morning', 1000);
    broken.add('ledger');
    expect(checkLiveness(parts)).toEqual({ alive: true });
    await clock.advance(1001);
    expect(checkLiveness(parts)).toEqual({ alive: false, hung: ['press:morning'] });
    parts.heartbeats.beat('press:morning', 1000);
    expect(checkLiveness(parts).alive).toBe(true);
    await clock.advance(5000);
    parts.heartbeats.remove('press:morning');
    expect(checkLiveness(parts).alive).toBe(true);
  });
});
