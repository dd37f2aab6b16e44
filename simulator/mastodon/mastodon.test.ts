import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { countCharacters, mentionsIn } from './count.ts';

let clock: ManualClock;
let sim: Simulator;

beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
  sim = await startSimulator({ clock });
});

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape.
  readonly body: any;
}

async function call(
  path: string,
  method = 'GET',
  form?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${sim.urls.mastodon}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${sim.mastodon.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(form === undefined ? {} : { body: JSON.stringify(form) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

const post = (form: unknown, key?: string): Promise<Answer> =>
  call('/api/v1/statuses', 'POST', form, key === undefined ? {} : { 'idempotency-key': key });

describe('posting', () => {
  it('answers with the status, in JSON and in a form', async () => {
    const { status, body } = await post({
      status: 'Hello\n\nWorld https://a.example/x',
      visibility: 'unlisted',
      language: 'ja',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d{17,19}$/),
      visibility: 'unlisted',
      language: 'ja',
      account: { acct: 'kawaraban' },
      url: `${sim.urls.mastodon}/@kawaraban/${body.id}`,
    });
    expect(body.content).toContain('<p>Hello</p><p>World <a href="https://a.example/x"');
    expect(body).not.toHaveProperty('text');
    const form = await fetch(`${sim.urls.mastodon}/api/v1/statuses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sim.mastodon.token}` },
      body: new URLSearchParams({ status: 'from a form' }),
    });
    expect(form.status).toBe(200);
    expect(sim.mastodon.posted('from a form')).toBe(1);
    expect((await fetch(body.url)).status).toBe(200);
  });

  it('posts once per Idempotency-Key within the hour', async () => {
    const first = await post({ status: 'once' }, 'key');
    const again = await post({ status: 'once' }, 'key');
    expect(again.body.id).toBe(first.body.id);
    expect(sim.mastodon.posted('once')).toBe(1);
    clock.jump(HOUR - 1);
    expect((await post({ status: 'once' }, 'key')).body.id).toBe(first.body.id);
    clock.jump(2);
    expect((await post({ status: 'once' }, 'key')).body.id).not.toBe(first.body.id);
    expect((await post({ status: 'once' }, 'other')).body.id).not.toBe(first.body.id);
    expect(sim.mastodon.posted('once')).toBe(3);
  });

  it('does not store a key under which nothing was posted', async () => {
    expect((await post({ status: 'x'.repeat(501) }, 'key')).status).toBe(422);
    expect((await post({ status: 'short' }, 'key')).body.content).toBe('<p>short</p>');
  });

  it('stores the key when the reply was lost', async () => {
    sim.injectFault({ service: 'mastodon', how: 'lost_reply' });
    await expect(post({ status: 'lost' }, 'key')).rejects.toThrow();
    await post({ status: 'lost' }, 'key');
    expect(sim.mastodon.posted('lost')).toBe(1);
  });

  it('refuses what is too long, empty or of no visibility', async () => {
    expect(await post({ status: 'x'.repeat(501) })).toMatchObject({
      status: 422,
      body: { error: 'Validation failed: Text character limit of 500 exceeded' },
    });
    expect((await post({ status: 'x'.repeat(400), spoiler_text: 'y'.repeat(101) })).status).toBe(422);
    expect((await post({ status: ' ' })).body.error).toBe("Validation failed: Text can't be blank");
    expect((await post({ status: 'x', visibility: 'secret' })).status).toBe(422);
    expect((await post({ status: `${'x'.repeat(476)} https://a.example/${'y'.repeat(300)}` })).status).toBe(
      200,
    );
  });

  it('reports who is mentioned', async () => {
    expect((await post({ status: 'hi @alice and @bob@far.example' })).body.mentions).toMatchObject([
      { acct: 'alice' },
      { acct: 'bob@far.example' },
    ]);
    expect(
      (await post({ status: 'mail me at x@y.example, see https://m.example/@z' })).body.mentions,
    ).toEqual([]);
  });
});

describe('counting', () => {
  it('counts graphemes, URLs at a fixed length and remote mentions without the domain', () => {
    expect(countCharacters('👨‍👩‍👧が', '')).toBe(2);
    expect(countCharacters(`a https://x.example/${'p'.repeat(90)}`, '')).toBe(2 + 23);
    expect(countCharacters('https://x.example/日本語 b', '', 30)).toBe(32);
    expect(countCharacters('@bob@very.long.example hi', '')).toBe(7);
    expect(countCharacters('abc', 'warning')).toBe(10);
    expect(mentionsIn('no@mention here, but @this_one.')).toEqual(['this_one']);
  });
});

describe('an account', () => {
  it('verifies its token', async () => {
    expect((await call('/api/v1/accounts/verify_credentials')).body).toMatchObject({
      acct: 'kawaraban',
      source: { privacy: 'public' },
    });
    expect(
      await call('/api/v1/accounts/verify_credentials', 'GET', undefined, { authorization: 'Bearer x' }),
    ).toMatchObject({
      status: 401,
      body: { error: 'The access token is invalid' },
    });
    sim.mastodon.revoke();
    expect((await post({ status: 'x' })).status).toBe(401);
  });

  it('lists its statuses in pages, newest first', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await post({ status: `s${i}` })).body.id);
    const me = (await call('/api/v1/accounts/verify_credentials')).body.id;
    const list = async (query: string): Promise<string[]> =>
      (await call(`/api/v1/accounts/${me}/statuses${query}`)).body.map((each: { content: string }) =>
        each.content.slice(3, 5),
      );
    expect(await list('?limit=2')).toEqual(['s4', 's3']);
    expect(await list(`?limit=2&max_id=${ids[3]}`)).toEqual(['s2', 's1']);
    expect(await list(`?since_id=${ids[2]}`)).toEqual(['s4', 's3']);
    expect(await list(`?limit=2&min_id=${ids[0]}`)).toEqual(['s2', 's1']);
    const { headers } = await call(`/api/v1/accounts/${me}/statuses?limit=2`);
    expect(headers.get('link')).toContain(`max_id=${ids[3]}>; rel="next"`);
  });

  it('reads, edits and deletes a status', async () => {
    const { id } = (await post({ status: 'old' })).body;
    expect((await call(`/api/v1/statuses/${id}`, 'PUT', { status: 'new' })).body).toMatchObject({
      id,
      content: '<p>new</p>',
    });
    expect((await call(`/api/v1/statuses/${id}/source`)).body).toEqual({ id, text: 'new', spoiler_text: '' });
    expect((await call(`/api/v1/statuses/${id}`)).body.edited_at).not.toBeNull();
    expect((await call(`/api/v1/statuses/${id}`, 'DELETE')).body.text).toBe('new');
    expect(await call(`/api/v1/statuses/${id}`)).toMatchObject({
      status: 404,
      body: { error: 'Record not found' },
    });
  });

  it('accepts an image with a description', async () => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array([1])], 'x.png', { type: 'image/png' }));
    form.set('description', 'A map');
    const answer = await fetch(`${sim.urls.mastodon}/api/v2/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sim.mastodon.token}` },
      body: form,
    });
    const media = (await answer.json()) as { id: string };
    expect(media).toMatchObject({ type: 'image', description: 'A map' });
    expect((await post({ status: 'see', media_ids: [media.id] })).body.media_attachments).toHaveLength(1);
    expect((await post({ status: 'see', media_ids: ['1'] })).status).toBe(404);
  });
});

describe('an instance', () => {
  it('reports its limits in both versions', async () => {
    expect((await call('/api/v2/instance')).body.configuration.statuses).toMatchObject({
      max_characters: 500,
      characters_reserved_per_url: 23,
    });
    expect((await call('/api/v1/instance')).body.configuration.statuses.max_characters).toBe(500);
  });

  it('enforces the limits it reports, and may lack the newer version', async () => {
    await sim[Symbol.asyncDispose]();
    sim = await startSimulator({
      clock,
      mastodon: { maxCharacters: 50, charactersPerUrl: 40, withoutV2: true },
    });
    expect((await call('/api/v2/instance')).status).toBe(404);
    expect((await post({ status: 'https://a.example 12345678901' })).status).toBe(422);
    expect((await post({ status: 'https://a.example 123456789' })).status).toBe(200);
  });

  it('limits in fixed windows and reports when they end', async () => {
    await sim[Symbol.asyncDispose]();
    sim = await startSimulator({
      clock,
      mastodon: { limits: { statuses: { requests: 2, perMs: 10 * MINUTE } } },
    });
    const first = await post({ status: '1' });
    expect(first.headers.get('x-ratelimit-limit')).toBe('2');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    await post({ status: '2' });
    const refused = await post({ status: '3' });
    expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests' } });
    expect(refused.headers.get('x-ratelimit-reset')).toBe('2026-06-01T12:10:00.000000Z');
    clock.jump(10 * MINUTE);
    sim.injectFault({ service: 'mastodon', how: 'rate_limit', retryAfterMs: 30_000 });
    expect((await post({ status: '3' })).headers.get('x-ratelimit-reset')).toBe(
      '2026-06-01T12:10:30.000000Z',
    );
    expect((await post({ status: '3' })).status).toBe(200);
    expect(sim.mastodon.statuses()).toHaveLength(3);
  });
});
