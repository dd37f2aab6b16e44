import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape.
  readonly body: any;
}

let clock: ManualClock;
let sim: Simulator;

beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
  sim = await startSimulator({ clock });
});

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

async function call(url: string, method = 'GET', form?: unknown, headers = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(form === undefined ? {} : { body: typeof form === 'string' ? form : JSON.stringify(form) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
}

const webhook = (form: unknown, query = '?wait=true'): Promise<Answer> =>
  call(`${sim.discord.webhookUrl}${query}`, 'POST', form);

const bot = (path: string, method = 'GET', form?: unknown): Promise<Answer> =>
  call(`${sim.discord.apiUrl}${path}`, method, form, { authorization: `Bot ${sim.discord.botToken}` });

const channel = (): string => `/channels/${sim.discord.channels.newsroom}`;

/** Past every window, so that a test about something else meets no limit. */
const rest = (): void => clock.jump(6000);

describe('a webhook', () => {
  it('answers with the message when asked to wait, and with nothing otherwise', async () => {
    const waited = await webhook({ content: 'hello', embeds: [{ title: 'A title' }] });
    expect(waited.status).toBe(200);
    expect(waited.body).toMatchObject({
      content: 'hello',
      channel_id: sim.discord.channels.newsroom,
      webhook_id: waited.body.author.id,
      embeds: [{ title: 'A title', type: 'rich' }],
      edited_timestamp: null,
    });
    expect(waited.body.id).toMatch(/^\d{17,19}$/);
    expect(waited.body.timestamp).toBe('2026-06-01T12:00:00.000000+00:00');
    const unwaited = await webhook({ content: 'again' }, '');
    expect([unwaited.status, unwaited.body]).toEqual([204, null]);
    expect(sim.discord.posted('hello')).toBe(1);
    expect(sim.discord.messages()).toHaveLength(2);
  });

  it('gives IDs that grow', async () => {
    const ids = [(await webhook({ content: 'a' })).body.id, (await webhook({ content: 'b' })).body.id];
    expect(BigInt(ids[1])).toBeGreaterThan(BigInt(ids[0]));
  });

  it('refuses what Discord refuses, with its error bodies', async () => {
    const long = (length: number): string => 'x'.repeat(length);
    const at = async (form: unknown): Promise<unknown> => {
      rest();
      const { status, body } = await webhook(form);
      expect(status).toBe(400);
      expect(body).toMatchObject({ message: 'Invalid Form Body', code: 50035 });
      return body.errors;
    };
    const tooLong = (most: number): unknown => ({
      _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${most} or fewer in length.` }],
    });
    expect(await at({ content: long(2001) })).toEqual({ content: tooLong(2000) });
    expect(await at({ embeds: [{ title: long(257) }] })).toEqual({ embeds: { 0: { title: tooLong(256) } } });
    expect(await at({ embeds: [{}, { description: long(4097) }] })).toEqual({
      embeds: { 1: { description: tooLong(4096) } },
    });
    expect(await at({ embeds: Array.from({ length: 11 }, () => ({ title: 't' })) })).toEqual({
      embeds: tooLong(10),
    });
    expect(await at({ embeds: [{ fields: [{ name: 'n', value: long(1025) }] }] })).toEqual({
      embeds: { 0: { fields: { 0: { value: tooLong(1024) } } } },
    });
    expect(await at({ embeds: [{ fields: [{ name: '', value: 'v' }] }] })).toMatchObject({
      embeds: { 0: { fields: { 0: { name: { _errors: [{ code: 'BASE_TYPE_REQUIRED' }] } } } } },
    });
    expect(await at({ embeds: [{ footer: { text: long(2049) } }] })).toEqual({
      embeds: { 0: { footer: { text: tooLong(2048) } } },
    });
    expect(await at({ embeds: [{ url: 'javascript:alert(1)' }] })).toMatchObject({
      embeds: { 0: { url: { _errors: [{ code: 'URL_TYPE_INVALID_SCHEME' }] } } },
    });
    expect(await at({ embeds: [1, 2].map(() => ({ description: long(3500) })) })).toEqual({
      embeds: {
        _errors: [{ code: 'MAX_EMBED_SIZE_EXCEEDED', message: 'Embed size exceeds maximum size of 6000' }],
      },
    });
    expect(await at({ content: 'x', username: '' })).toMatchObject({
      username: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH' }] },
    });
    expect(await at({ content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } })).toMatchObject({
      allowed_mentions: { _errors: [{ code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE' }] },
    });
    expect(sim.discord.messages()).toHaveLength(0);
  });

  it('accepts exactly the maximum lengths of Discord, counted in code points', async () => {
    const longest = { title: '𠮷'.repeat(256), description: 'd'.repeat(4096) };
    expect((await webhook({ content: 'c'.repeat(2000), embeds: [longest] })).status).toBe(200);
  });

  it('refuses an empty message, bad JSON, and invalid addresses', async () => {
    expect((await webhook({})).body).toEqual({ message: 'Cannot send an empty message', code: 50006 });
    expect((await webhook('{"content":')).body).toMatchObject({ code: 50109 });
    const base = `${sim.urls.discord}/api/webhooks`;
    expect(await call(`${base}/1100000000000000999/x`, 'POST', { content: 'x' })).toMatchObject({
      status: 404,
      body: { message: 'Unknown Webhook', code: 10015 },
    });
    expect(await call(sim.discord.webhookUrl.replace(/001$/, '002'), 'POST', { content: 'x' })).toMatchObject(
      {
        status: 401,
        body: { message: 'Invalid Webhook Token', code: 50027 },
      },
    );
    expect((await call(`${base}/abc/x`, 'POST', { content: 'x' })).body).toMatchObject({ code: 50035 });
    expect((await call(`${sim.urls.discord}/elsewhere`)).status).toBe(404);
  });

  it('mentions no one when mentions are not allowed, and everyone by default', async () => {
    const content = '@everyone <@123456789012345678> <@&223456789012345678>';
    expect((await webhook({ content, allowed_mentions: { parse: [] } })).body).toMatchObject({
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
    });
    expect((await webhook({ content })).body).toMatchObject({
      mention_everyone: true,
      mentions: [{ id: '123456789012345678' }],
      mention_roles: ['223456789012345678'],
    });
  });

  it('reads, edits and deletes its own messages', async () => {
    const { id } = (await webhook({ content: 'old', embeds: [{ title: 't' }] })).body;
    const one = `${sim.discord.webhookUrl}/messages/${id}`;
    expect((await call(one, 'PATCH', { content: 'new' })).body).toMatchObject({
      content: 'new',
      embeds: [{ title: 't' }],
    });
    expect((await call(one)).body).toMatchObject({ content: 'new', edited_timestamp: expect.any(String) });
    expect((await call(one, 'DELETE')).status).toBe(204);
    expect(await call(one)).toMatchObject({ status: 404, body: { message: 'Unknown Message', code: 10008 } });
    expect((await call(sim.discord.webhookUrl)).body).toMatchObject({
      type: 1,
      channel_id: sim.discord.channels.newsroom,
    });
  });

  it('posts into threads, and into forums with a name', async () => {
    const forum = sim.discord.forumWebhookUrl;
    expect((await call(forum, 'POST', { content: 'x' })).body).toMatchObject({ code: 220001 });
    const first = await call(`${forum}?wait=true`, 'POST', { content: 'x', thread_name: 'News' });
    expect(first.status).toBe(200);
    const thread = first.body.channel_id;
    expect(thread).not.toBe(sim.discord.channels.forum);
    const second = await call(`${forum}?wait=true&thread_id=${thread}`, 'POST', { content: 'y' });
    expect(second.body.channel_id).toBe(thread);
    expect(
      (await call(`${forum}?thread_id=1100000000000000888`, 'POST', { content: 'y' })).body,
    ).toMatchObject({ code: 10003 });
    expect((await webhook({ content: 'x', thread_name: 'no forum' })).body).toMatchObject({ code: 220003 });
  });

  it('accepts uploads with the payload as a field', async () => {
    const form = new FormData();
    form.set('payload_json', JSON.stringify({ content: 'with a file' }));
    form.set('files[0]', new Blob(['x']), 'x.txt');
    const answer = await fetch(`${sim.discord.webhookUrl}?wait=true`, { method: 'POST', body: form });
    expect(await answer.json()).toMatchObject({ content: 'with a file' });
  });

  it('limits five messages in two seconds, and reports it in headers and body', async () => {
    const first = await webhook({ content: '1' });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset-after': '2.000',
      'x-ratelimit-reset': ((clock.now() + 2000) / 1000).toFixed(3),
      'x-ratelimit-bucket': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    for (let i = 2; i <= 5; i++) await webhook({ content: String(i) });
    clock.jump(500);
    const refused = await webhook({ content: '6' });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ message: 'You are being rate limited.', retry_after: 1.5, global: false });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
    expect(sim.discord.messages()).toHaveLength(5);
    clock.jump(1500);
    expect((await webhook({ content: '6' })).status).toBe(200);
  });
});

describe('the global limit', () => {
  it('is distinguishable from a bucket’s', async () => {
    const small = await startSimulator({
      clock,
      discord: { limits: { global: { requests: 1, perMs: 1000 } } },
    });
    await call(small.discord.webhookUrl, 'POST', { content: '1' });
    const refused = await call(small.discord.webhookUrl, 'POST', { content: '2' });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ global: true, retry_after: 1 });
    expect(refused.headers.get('x-ratelimit-global')).toBe('true');
    expect(refused.headers.get('x-ratelimit-scope')).toBe('global');
    await small[Symbol.asyncDispose]();
  });
});

describe('a bot', () => {
  it('needs a valid token, channel and permission', async () => {
    const url = `${sim.discord.apiUrl}${channel()}/messages`;
    expect(await call(url)).toMatchObject({ status: 401, body: { message: '401: Unauthorized', code: 0 } });
    expect(await call(url, 'GET', undefined, { authorization: 'Bot wrong' })).toMatchObject({ status: 401 });
    expect(await bot('/channels/1100000000000000777/messages')).toMatchObject({
      status: 404,
      body: { code: 10003 },
    });
    const { secret, readOnly } = sim.discord.channels;
    expect(await bot(`/channels/${secret}/messages`)).toMatchObject({ status: 403, body: { code: 50001 } });
    expect(await bot(`/channels/${readOnly}/messages`, 'POST', { content: 'x' })).toMatchObject({
      status: 403,
      body: { message: 'Missing Permissions', code: 50013 },
    });
    expect((await bot('/users/@me')).body).toMatchObject({ bot: true });
    sim.discord.revoke();
    expect((await bot('/users/@me')).status).toBe(401);
    expect((await webhook({ content: 'x' })).status).toBe(404);
  });

  it('posts once per enforced nonce for some minutes, and twice without enforcing it', async () => {
    const form = { content: 'once', nonce: 'key-1', enforce_nonce: true };
    const first = await bot(`${channel()}/messages`, 'POST', form);
    expect(first.body).toMatchObject({ nonce: 'key-1' });
    const second = await bot(`${channel()}/messages`, 'POST', { ...form, content: 'other words' });
    expect([second.status, second.body.id, second.body.content]).toEqual([200, first.body.id, 'once']);
    clock.jump(5 * MINUTE + 1);
    expect((await bot(`${channel()}/messages`, 'POST', form)).body.id).not.toBe(first.body.id);
    await bot(`${channel()}/messages`, 'POST', { content: 'loose', nonce: 'key-2' });
    await bot(`${channel()}/messages`, 'POST', { content: 'loose', nonce: 'key-2' });
    expect([sim.discord.posted('once'), sim.discord.posted('loose')]).toEqual([2, 2]);
    const long = await bot(`${channel()}/messages`, 'POST', { content: 'x', nonce: 'n'.repeat(26) });
    expect(long.body).toMatchObject({ code: 50035 });
  });

  it('reads messages in pages, newest first, and never their nonce', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      rest();
      ids.push((await bot(`${channel()}/messages`, 'POST', { content: `m${i}`, nonce: `n${i}` })).body.id);
    }
    const read = async (query: string): Promise<string[]> => {
      rest();
      return (await bot(`${channel()}/messages${query}`)).body.map(
        (message: { content: string }) => message.content,
      );
    };
    expect(await read('?limit=3')).toEqual(['m6', 'm5', 'm4']);
    expect(await read(`?limit=3&before=${ids[4]}`)).toEqual(['m3', 'm2', 'm1']);
    expect(await read(`?limit=2&after=${ids[1]}`)).toEqual(['m3', 'm2']);
    expect(await read('')).toHaveLength(7);
    expect((await bot(`${channel()}/messages?limit=101`)).body).toMatchObject({ code: 50035 });
    expect((await bot(`${channel()}/messages`)).body[0]).not.toHaveProperty('nonce');
  });

  it('edits its own messages and no others', async () => {
    const { id } = (await bot(`${channel()}/messages`, 'POST', { content: 'old' })).body;
    expect((await bot(`${channel()}/messages/${id}`, 'PATCH', { content: 'new' })).body).toMatchObject({
      content: 'new',
    });
    const foreign = (await webhook({ content: 'theirs' })).body.id;
    expect((await bot(`${channel()}/messages/${foreign}`, 'PATCH', { content: 'x' })).body).toMatchObject({
      code: 50005,
    });
    expect((await bot(`${channel()}/messages/${id}`, 'DELETE')).status).toBe(204);
    expect((await bot(`${channel()}/messages/${id}`)).body).toMatchObject({ code: 10008 });
  });

  it('starts a thread in a forum, where plain messages are refused', async () => {
    const forum = `/channels/${sim.discord.channels.forum}`;
    expect((await bot(`${forum}/messages`, 'POST', { content: 'x' })).body).toMatchObject({ code: 50008 });
    const thread = await bot(`${forum}/threads`, 'POST', { name: 'News', message: { content: 'first' } });
    expect(thread).toMatchObject({ status: 201, body: { type: 11, message: { content: 'first' } } });
    expect((await bot(`/channels/${thread.body.id}/messages`, 'POST', { content: 'second' })).status).toBe(
      200,
    );
    expect((await bot(`${forum}/threads`, 'POST', { name: 'Empty' })).body).toMatchObject({ code: 50035 });
  });
});
