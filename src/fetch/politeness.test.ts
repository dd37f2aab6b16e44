import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { createFetcher } from './create-fetcher.ts';
import type { Fetcher } from './fetcher.ts';
import { answer, type RawServer, rawServer } from './raw-server.fixture.ts';

const lines: string[] = [];
const note = (message: string, fields?: LogFields): void => {
  lines.push(`${message} ${JSON.stringify(fields)}`);
};
const log: Logger = { debug: note, info: note, warn: note, error: note };

let clock: ManualClock;
let server: RawServer;
let fetcher: Fetcher;
let answers: Readonly<Record<string, Uint8Array | ''>>;

beforeEach(async () => {
  clock = new ManualClock();
  answers = {};
  server = await rawServer((path) => answers[path] ?? answer(200, {}, 'ok'));
  fetcher = createFetcher({
    clock,
    log,
    allow: ['127.0.0.1'],
    limits: { spacingMs: 0, breakerFailures: 3, breakerMs: 60_000 },
    resolve: async () => ['127.0.0.1'],
    random: () => 0,
    hasInterface: () => true,
  });
  lines.length = 0;
});
afterEach(async () => {
  await fetcher[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const get = (path: string, host = '127.0.0.1') =>
  fetcher.fetch({ url: `http://${host}:${server.port}${path}` });

describe('rate limits of a host', () => {
  it.each([
    ['429 with seconds', answer(429, { 'retry-after': '90' }), 90_000],
    ['503 with seconds', answer(503, { 'retry-after': '90' }), 90_000],
    ['429 with a date', answer(429, { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }), 90_000],
    ['429 without a word', answer(429, {}), 60_000],
  ])('X5 %s suspends the host, and the host alone', async (_, answer, wait) => {
    answers = { '/limited': answer };
    await get('/limited');
    const retryAt = clock.now() + wait;
    expect(await get('/other')).toMatchObject({
      outcome: 'failed',
      why: 'host_suspended',
      sent: false,
      retryAt,
    });
    expect(await get('/other', 'other.example')).toMatchObject({ outcome: 'response', status: 200 });
    await clock.advance(wait - 1);
    expect(await get('/other')).toMatchObject({ why: 'host_suspended' });
    await clock.advance(1);
    expect(await get('/other')).toMatchObject({ status: 200 });
  });

  it('X5 a time on another answer is about that URL: reported to the caller, the host is not suspended', async () => {
    answers = { '/gone-for-now': answer(404, { 'retry-after': '90' }) };
    expect(await get('/gone-for-now')).toMatchObject({ status: 404, retryAt: clock.now() + 90_000 });
    expect(await get('/other')).toMatchObject({ status: 200, retryAt: null });
  });

  it('X5 calls whose limits the caller observes are neither delayed nor counted', async () => {
    answers = { '/limited': answer(429, { 'retry-after': '90' }) };
    const own = { url: `http://127.0.0.1:${server.port}/limited`, polite: false };
    expect(await fetcher.fetch(own)).toMatchObject({ status: 429, retryAt: clock.now() + 90_000 });
    expect(await get('/other')).toMatchObject({ status: 200 });
    await get('/limited');
    expect(await fetcher.fetch(own)).toMatchObject({ status: 429 });
  });

  it('X5 a host that keeps failing is suspended for a while, and retried', async () => {
    answers = { '/broken': answer(500, {}), '/dead': '' };
    await get('/broken');
    await get('/dead');
    await get('/broken');
    const suspended = await get('/fine');
    expect(suspended).toMatchObject({
      outcome: 'failed',
      why: 'host_suspended',
      retryAt: clock.now() + 30_000,
    });
    await clock.advance(30_000);
    expect(await get('/fine')).toMatchObject({ status: 200 });
  });

  it('X5 a failing host opens only its own breaker, and another that answers does not close it', async () => {
    answers = { '/broken': answer(500, {}) };
    for (let n = 0; n < 3; n++) await get('/broken', 'broken.example');
    for (let n = 0; n < 5; n++)
      expect(await get('/fine', 'fine.example')).toMatchObject({ outcome: 'response', status: 200 });
    expect(await get('/fine', 'broken.example')).toMatchObject({ why: 'host_suspended', sent: false });
    // Two failures of one host and one of another are not three consecutive failures of one host.
    await get('/broken', 'fine.example');
    await get('/broken', 'fine.example');
    await get('/broken', 'third.example');
    expect(await get('/fine', 'fine.example')).toMatchObject({ status: 200 });
    expect(await get('/fine', 'third.example')).toMatchObject({ status: 200 });
    expect(await get('/fine', 'broken.example')).toMatchObject({ why: 'host_suspended' });
  });

  it('X5 two failing hosts are retried independently', async () => {
    answers = { '/broken': answer(500, {}) };
    for (let n = 0; n < 3; n++) await get('/broken', 'first.example');
    await clock.advance(20_000);
    for (let n = 0; n < 3; n++) await get('/broken', 'second.example');
    await clock.advance(10_000);
    expect(await get('/fine', 'first.example')).toMatchObject({ status: 200 });
    expect(await get('/fine', 'second.example')).toMatchObject({
      why: 'host_suspended',
      retryAt: clock.now() + 20_000,
    });
    await clock.advance(20_000);
    expect(await get('/fine', 'second.example')).toMatchObject({ status: 200 });
  });

  it('X5 pages that are missing do not count against their host', async () => {
    answers = { '/missing': answer(404, {}) };
    for (let n = 0; n < 10; n++) expect(await get('/missing')).toMatchObject({ status: 404 });
  });
});

describe('secrets', () => {
  it('X7 no query, header, body or token shows in a log line, and no path in an outcome', async () => {
    answers = {
      '/dead/hush-path?key=hush-query': '',
      '/moved/hush-path': answer(302, { location: 'file:///hush-place' }),
    };
    const headers = { authorization: 'Bearer hush-header', 'x-key': 'hush-header' };
    const outcomes = [
      await fetcher.fetch({
        url: `http://127.0.0.1:${server.port}/dead/hush-path?key=hush-query`,
        method: 'POST',
        headers,
        body: 'hush-body',
      }),
      await fetcher.fetch({ url: `http://127.0.0.1:${server.port}/moved/hush-path`, headers }),
      await fetcher.fetch({ url: 'http://10.0.0.1/webhooks/1/hush-path?hush-query', headers }),
      await fetcher.fetch({ url: 'http://hush-user:hush-word@example.com/hush-path', headers }),
      await fetcher.fetch({ url: 'hush:hush-path' }),
      await fetcher.fetch({ url: 'https://discord.com:1/api/webhooks/1/hush-token' }),
    ];
    expect(outcomes.every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(JSON.stringify(outcomes)).not.toMatch(/hush-/);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n').replaceAll('/hush-path', '')).not.toMatch(/hush-/);
    expect(lines.join('\n')).not.toContain('hush-token');
  });
});
