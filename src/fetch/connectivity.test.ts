import { describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { Connectivity } from './connectivity.ts';
import { createFetcher } from './create-fetcher.ts';
import { answer, rawServer } from './raw-server.fixture.ts';

const MINUTE = 60_000;

function setUp(online: { resolves: boolean; interface?: boolean }) {
  const clock = new ManualClock();
  const connectivity = new Connectivity(
    clock,
    async () => {
      if (!online.resolves) throw new Error('no answer');
      return ['8.8.8.8'];
    },
    () => online.interface ?? true,
  );
  return { clock, connectivity };
}

describe('offline or broken', () => {
  it('X5 no network interface: offline, at the first failure', async () => {
    const { connectivity } = setUp({ resolves: false, interface: false });
    expect(await connectivity.isOffline('a.example', 'weak')).toBe(true);
  });

  it('X5 no host was reached yet and DNS does not answer: offline, at the first failure', async () => {
    const { connectivity } = setUp({ resolves: false });
    expect(await connectivity.isOffline('a.example', 'strong')).toBe(true);
  });

  it('X5 one unknown name is a failure of that host; three in a row without a success mean offline', async () => {
    const { connectivity } = setUp({ resolves: false });
    expect(await connectivity.isOffline('a.example', 'weak')).toBe(false);
    expect(await connectivity.isOffline('a.example', 'weak')).toBe(false);
    expect(await connectivity.isOffline('b.example', 'weak')).toBe(false);
    expect(await connectivity.isOffline('c.example', 'weak')).toBe(true);
  });

  it('X5 shortly after a success a failure is the server’s', async () => {
    const { clock, connectivity } = setUp({ resolves: false });
    connectivity.reached('ok.example');
    await clock.advance(MINUTE - 1);
    expect(await connectivity.isOffline('a.example', 'strong')).toBe(false);
  });

  it('X5 later, hosts that answered before are probed', async () => {
    const online = { resolves: true };
    const { clock, connectivity } = setUp(online);
    connectivity.reached('ok.example');
    await clock.advance(10 * MINUTE);
    expect(await connectivity.isOffline('a.example', 'strong')).toBe(false);
    online.resolves = false;
    expect(await connectivity.isOffline('a.example', 'weak')).toBe(true);
    online.resolves = true;
    connectivity.reached('ok.example');
    expect(await connectivity.isOffline('a.example', 'strong')).toBe(false);
  });

  it('X5 names resolve from a cache but no host answers, the probe hosts included: offline', async () => {
    const { clock, connectivity } = setUp({ resolves: true });
    connectivity.reached('ok.example');
    await clock.advance(10 * MINUTE);
    expect(await connectivity.isOffline('a.example', 'weak')).toBe(false);
    expect(await connectivity.isOffline('ok.example', 'weak')).toBe(false);
    expect(await connectivity.isOffline('b.example', 'weak')).toBe(true);
  });
});

describe('a fetcher without a network', () => {
  it('X5 no breaker opens while offline, and fetching resumes when the network is back', async () => {
    const server = await rawServer(() => answer(200, {}, 'back'));
    let online = false;
    const fetcher = createFetcher({
      clock: new ManualClock(),
      log: silentLogger,
      allow: ['127.0.0.1'],
      limits: { spacingMs: 0, breakerFailures: 2 },
      hasInterface: () => true,
      resolve: async () => {
        if (!online) throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
        return ['127.0.0.1'];
      },
    });
    for (let n = 0; n < 5; n++)
      expect(await fetcher.fetch({ url: `http://feed.example:${server.port}/` })).toMatchObject({
        outcome: 'failed',
        why: 'offline',
        sent: false,
      });
    online = true;
    expect(await fetcher.fetch({ url: `http://feed.example:${server.port}/` })).toMatchObject({
      status: 200,
    });
    online = false;
    const blamed = await fetcher.fetch({ url: 'http://other.example/' });
    expect(blamed).toMatchObject({ outcome: 'failed', why: 'dns' });
    await fetcher[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
});
