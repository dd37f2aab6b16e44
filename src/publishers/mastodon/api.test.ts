import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../fetch/fetcher.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { entityId, InstanceLimitsCache, parseEntity, parseInstanceLimits } from './api.ts';
import { DEFAULT_LIMITS } from './status.ts';

function answer(status: number, body: unknown): FetchOutcome {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const plain = { headers: {}, url: 'https://m.example/', movedTo: null, retryAt: null };
  return { outcome: 'response', status, body: new TextEncoder().encode(text), ...plain };
}
const v2 = { domain: 'm.example', configuration: { statuses: { max_characters: 900 } } };

describe('the limits of an instance', () => {
  it('B18 are fetched once a day', async () => {
    const clock = new ManualClock();
    const requests: string[] = [];
    const limits = new InstanceLimitsCache(async (path) => {
      requests.push(path);
      return answer(200, v2);
    }, clock);
    expect(limits.current).toEqual(DEFAULT_LIMITS);
    await Promise.all([limits.refresh(), limits.refresh()]);
    expect(limits.current).toEqual({ maxCharacters: 900, charactersPerUrl: 23 });
    await clock.advance(DAY - 1);
    await limits.refresh();
    expect(requests).toEqual(['/api/v2/instance']);
    await clock.advance(1);
    await limits.refresh();
    expect(requests).toHaveLength(2);
  });

  it('X18 the last known ones stay in use while the instance does not answer, and retries are spaced out', async () => {
    const clock = new ManualClock();
    let unavailable = false;
    let requests = 0;
    const limits = new InstanceLimitsCache(async () => {
      requests++;
      return unavailable ? { outcome: 'failed', why: 'timeout', detail: 'x', sent: false } : answer(200, v2);
    }, clock);
    await limits.refresh();
    unavailable = true;
    await clock.advance(DAY);
    for (let n = 0; n < 5; n++) await limits.refresh();
    expect(limits.known).toMatchObject({ maxCharacters: 900 });
    expect(requests).toBe(3);
    await clock.advance(10 * MINUTE);
    await limits.refresh();
    expect(requests).toBe(5);
  });

  it.each([
    ['an older server’s own word', { uri: 'p.example', max_toot_chars: 5000 }, 5000, null],
    ['an old Mastodon that says nothing', { uri: 'm.example' }, 500, 23],
    [
      'nonsense',
      {
        uri: 'm.example',
        configuration: { statuses: { max_characters: -1, characters_reserved_per_url: 'x' } },
      },
      500,
      23,
    ],
  ])('B18 understands %s', (_, instance, maxCharacters, charactersPerUrl) => {
    expect(parseInstanceLimits(instance)).toEqual({ maxCharacters, charactersPerUrl });
  });

  it.each([['<html>'], ['[]'], ['{"error":"no"}'], ['null']])('rejects %s', (text) => {
    expect(parseInstanceLimits(parseEntity(new TextEncoder().encode(text)))).toBeNull();
  });
});

describe('a response of a server with Mastodon’s API', () => {
  it('X2 keeps an ID that is written as a number exactly, however long', () => {
    const body = new TextEncoder().encode('{"id": 110000000000000123457, "account": {"id": 7}}');
    expect(entityId(parseEntity(body))).toBe('110000000000000123457');
  });

  it('has no ID where there is none', () => {
    for (const text of ['{}', '{"id":""}', '{"id":null}', '[]', '<html>'])
      expect(entityId(parseEntity(new TextEncoder().encode(text)))).toBeNull();
  });
});
