import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryTimelineBackend } from '../storage/memory/timelines.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { beginExpiredRebuild } from './contract/timeline-store.ts';
import { FollowChecks, fingerprint, fingerprintWith } from './follow-checks.ts';
import { type HomePullAuthors, homeTimeline } from './timeline-store.ts';

const HOME = homeTimeline('ann');

describe('follows that may change without an event', () => {
  let clock: ManualClock;
  let backend: ReturnType<typeof createMemoryTimelineBackend>;
  let asked: number;
  let following: () => Promise<readonly string[]>;
  let checks: FollowChecks;
  beforeEach(async () => {
    clock = new ManualClock();
    backend = createMemoryTimelineBackend({ clock, log: silentLogger });
    asked = 0;
    following = async () => ['ben', 'cat'];
    const origin = {
      following: () => {
        asked += 1;
        return following();
      },
    };
    const { store, streams } = backend;
    checks = new FollowChecks({ store, streams, origin, clock, log: silentLogger, intervalMs: 5 * MINUTE });
    const pullAuthors = {
      version: '0',
      authors: [],
      follows: fingerprint(['cat', 'ben']),
      checkedAt: clock.now(),
    };
    await store.merge(
      HOME,
      { entries: [], floor: null, pullAuthors },
      await beginExpiredRebuild(store, HOME),
    );
  });
  const known = async (): Promise<HomePullAuthors | null> =>
    (await backend.store.page(HOME, { limit: 1 }))?.pullAuthors ?? null;

  it('C13 are checked once in the configured interval, and the home stays where nothing changed', async () => {
    expect(await checks.changed('ann', await known())).toBe(false);
    expect(asked).toBe(0);
    await clock.advance(5 * MINUTE);
    for (let n = 0; n < 3; n++) expect(await checks.changed('ann', await known())).toBe(false);
    expect(asked).toBe(1);
  });

  it('C13 evict the home if they changed, and make its streams reload', async () => {
    const received: string[] = [];
    await backend.streams.subscribe(HOME, {
      onEvent: ({ event }) => void received.push(event.type),
      onGap: () => {},
    });
    following = async () => ['ben'];
    await clock.advance(5 * MINUTE);
    expect(await checks.changed('ann', await known())).toBe(true);
    expect(await backend.store.size(HOME)).toBeNull();
    expect(received).toEqual(['reset']);
  });

  it('C18 delay no reader if the user service is unavailable or slow', async () => {
    await clock.advance(5 * MINUTE);
    following = () => Promise.reject(new Error('unavailable'));
    for (let n = 0; n < 3; n++) expect(await checks.changed('ann', await known())).toBe(false);
    expect(asked).toBe(1);
    await clock.advance(10 * SECOND);
    following = () => new Promise(() => {});
    const slow = checks.changed('ann', await known());
    await clock.advance(SECOND);
    expect(await slow).toBe(false);
    expect(asked).toBe(2);
    expect(await backend.store.size(HOME)).toBe(0);
  });

  it('C13 a fingerprint does not depend on the order, and grows with each follow', () => {
    expect(fingerprint(['a', 'b', 'c'])).toBe(fingerprint(['c', 'a', 'b']));
    expect(fingerprintWith(fingerprint(['a', 'b']), 'c')).toBe(fingerprint(['a', 'b', 'c']));
    expect(fingerprint(['a'])).not.toBe(fingerprint(['b']));
    expect(fingerprint([])).not.toBe(fingerprint(['a']));
  });
});
