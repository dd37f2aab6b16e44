import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

let folder: string;
let app: App;
let server: RunningServer;

const NEWS = `
sources: { herald: { feed: "https://herald.example/feed" } }
pipelines:
  ben: { kind: summarise, sources: [herald], publish: [timeline] }
  morning: { kind: summarise, sources: [herald], publish: [drops] }
publishers: { drops: { kind: timeline, author: desk } }
`;

async function open(
  more = '',
  env: NodeJS.ProcessEnv = {},
  news = '',
): Promise<{ app: App; server: RunningServer }> {
  const text = `server: { port: 0, rate_limit: { per_address: 100000 } ${more} }\ndata: ${folder}\ntimelines: {}\n${news}`;
  const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const opened = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0.0.0',
    passwordCost: { n: 2 ** 12, r: 8, p: 1 },
  });
  return { app: opened, server: await opened.serve() };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kawaraban-sign-in-'));
  ({ app, server } = await open());
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A browser as far as signing in is concerned: it stores its cookie and sends the page's token with changes. */
class Browser {
  cookie = '';
  csrf = '';

  async request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: Record<string, unknown> }> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(this.csrf === '' ? {} : { 'x-csrf-token': this.csrf }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) {
      expect(set).toMatch(/HttpOnly; SameSite=Lax/);
      this.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    }
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    if (typeof json.csrfToken === 'string') this.csrf = json.csrfToken;
    return { status: response.status, json };
  }
}

const PASSWORD = 'a long enough password';

describe('from the first start on', () => {
  const owner = new Browser();
  const reader = new Browser();

  it('the printed link creates the owner, once', async () => {
    const issued = await app.auth.accounts.ownerLink();
    const address = app.oneTimeLinkUrl(issued?.token ?? '', server.url);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/welcome#[\w-]{43}$/);
    const link = new URL(address).hash.slice(1);
    expect((await owner.request('POST', '/api/v1/welcome/look', { link })).json).toMatchObject({
      purpose: 'owner',
      name: null,
    });
    const short = { link, name: 'hana', password: 'short' };
    expect(await owner.request('POST', '/api/v1/welcome', short)).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'password' }] },
    });
    const made = await owner.request('POST', '/api/v1/welcome', { link, name: 'hana', password: PASSWORD });
    expect(made).toMatchObject({ status: 200, json: { me: { name: 'hana', role: 'owner' } } });
    expect(await new Browser().request('POST', '/api/v1/welcome/look', { link })).toMatchObject({
      status: 404,
    });
    expect((await owner.request('GET', '/api/v1/session')).json).toMatchObject({
      me: { name: 'hana' },
      ended: null,
    });
  });

  it('C5 a signed-in person has a home, and a read marker that is the same on every device', async () => {
    expect((await owner.request('GET', '/api/v1/timelines/home')).status).toBe(200);
    const position = '0190a000-0000-7000-8000-000000000000';
    expect((await owner.request('GET', '/api/v1/marks/home')).json).toEqual({
      position: null,
      markedAt: null,
    });
    expect((await owner.request('PUT', '/api/v1/marks/home', { position })).status).toBe(200);
    const phone = new Browser();
    await phone.request('POST', '/api/v1/session', { name: 'HANA', password: PASSWORD });
    expect((await phone.request('GET', '/api/v1/marks/home')).json).toMatchObject({ position });
    expect((await phone.request('PUT', '/api/v1/marks/home', { position: '<b>' })).status).toBe(400);
    expect((await phone.request('GET', '/api/v1/marks/elsewhere')).status).toBe(400);
  });

  it('a reader joins by invitation and has no access to the control API', async () => {
    const { json } = await owner.request('POST', '/api/v1/people/invitations', {});
    const link = String(json.path).split('#')[1];
    const who = { link, name: 'ben', displayName: 'Ben', password: PASSWORD };
    expect((await reader.request('POST', '/api/v1/welcome', who)).status).toBe(200);
    expect((await reader.request('GET', '/api/v1/people')).status).toBe(403);
    expect((await new Browser().request('GET', '/api/v1/people')).status).toBe(401);
    const { json: people } = await owner.request('GET', '/api/v1/people');
    expect(people.people).toMatchObject([{ name: 'ben' }, { name: 'hana' }]);
    expect(JSON.stringify(people)).not.toContain('scrypt');
  });

  it('a change without the page’s token is refused, and changes nothing', async () => {
    const forged = new Browser();
    forged.cookie = owner.cookie;
    expect((await forged.request('DELETE', '/api/v1/sessions')).status).toBe(403);
    expect((await owner.request('GET', '/api/v1/sessions')).json.sessions).toHaveLength(2);
  });

  it('C23 a program reads with a token of its own scopes, and its stream ends when that is revoked', async () => {
    const requested = { label: 'my script', scopes: ['read', 'control'] };
    const { status, json } = await reader.request('POST', '/api/v1/tokens', requested);
    expect(status).toBe(201);
    expect(json.scopes).toEqual(['read']);
    const headers = { authorization: `Bearer ${String(json.token)}` };
    expect((await fetch(`${server.url}/api/v1/timelines/home`, { headers })).status).toBe(200);
    const put = {
      method: 'PUT',
      body: '{"position":"x"}',
      headers: { ...headers, 'content-type': 'application/json' },
    };
    const denied = await fetch(`${server.url}/api/v1/marks/home`, put);
    expect(denied.status).toBe(403);
    expect(denied.headers.get('www-authenticate')).toContain('insufficient_scope');
    const stream = await fetch(`${server.url}/events/timeline/home`, { headers });
    const read = (async () => {
      for await (const _ of stream.body ?? []);
      return 'ended';
    })();
    expect((await owner.request('DELETE', `/api/v1/tokens/${String(json.id)}`)).status).toBe(404);
    expect((await reader.request('DELETE', `/api/v1/tokens/${String(json.id)}`)).status).toBe(204);
    expect(await read).toBe('ended');
    expect((await fetch(`${server.url}/api/v1/timelines/home`, { headers })).status).toBe(401);
  });

  it('an expired session is reported, and the cookie is deleted', async () => {
    const other = new Browser();
    await other.request('POST', '/api/v1/session', { name: 'hana', password: PASSWORD });
    expect((await owner.request('DELETE', '/api/v1/sessions?except=here')).json.ended).toBeGreaterThan(0);
    const home = await other.request('GET', '/api/v1/timelines/home');
    expect(home).toMatchObject({ status: 401, json: { title: 'Sign in again' } });
    expect(await other.request('GET', '/api/v1/session')).toMatchObject({
      json: { me: null, ended: expect.stringContaining('has ended') },
    });
    expect(other.cookie).toBe('');
    expect((await owner.request('GET', '/api/v1/timelines/home')).status).toBe(200);
  });

  it('wrong passwords and unknown names get the same answer, and are rate limited in the end', async () => {
    const guess = (name: string) =>
      new Browser().request('POST', '/api/v1/session', { name, password: 'wrong words' });
    const [known, unknown] = [await guess('ben'), await guess('unknown')];
    expect(known).toEqual(unknown);
    expect(known.status).toBe(401);
    let last = known;
    for (let i = 0; i < 8; i++) last = await guess('ben');
    expect(last).toMatchObject({ status: 429, json: { title: 'Too many attempts' } });
  });

  it.each(['a change of the password', 'a reset link'])(
    'C23 %s revokes tokens and ends their streams',
    async (how) => {
      const who = new Browser();
      const { json: invitation } = await owner.request('POST', '/api/v1/people/invitations', {});
      const name = how.replaceAll(' ', '-');
      const link = String(invitation.path).split('#')[1];
      await who.request('POST', '/api/v1/welcome', { link, name, password: PASSWORD });
      const { json: made } = await who.request('POST', '/api/v1/tokens', { label: 'x', scopes: ['read'] });
      const headers = { authorization: `Bearer ${String(made.token)}` };
      const stream = await fetch(`${server.url}/events/timeline/home`, { headers });
      const read = (async () => {
        for await (const _ of stream.body ?? []);
        return 'ended';
      })();
      if (how === 'a reset link') {
        const { json } = await owner.request('POST', `/api/v1/people/${name}/reset-link`);
        const reset = { link: String(json.path).split('#')[1], password: 'quite another password' };
        expect((await new Browser().request('POST', '/api/v1/welcome', reset)).status).toBe(200);
      } else {
        const change = { current: PASSWORD, next: 'quite another password' };
        expect((await who.request('PUT', '/api/v1/password', change)).status).toBe(200);
        expect((await who.request('GET', '/api/v1/timelines/home')).status).toBe(200);
      }
      expect((await fetch(`${server.url}/api/v1/timelines/home`, { headers })).status).toBe(401);
      expect(await read).toBe('ended');
    },
  );

  it.each([
    ['no body', undefined, 400],
    ['another form', { user: 'hana' }, 400],
    ['a name that is a number', { name: 1, password: 'x' }, 400],
    ['a name without end', { name: 'x'.repeat(5000), password: 'x' }, 400],
    ['a body without end', { name: 'hana', password: 'x'.repeat(20_000) }, 413],
  ])('refuses %s', async (_what, body, status) => {
    expect((await new Browser().request('POST', '/api/v1/session', body)).status).toBe(status);
  });

  it('signing out ends this session', async () => {
    const kept = reader.cookie;
    expect((await reader.request('DELETE', '/api/v1/session')).status).toBe(204);
    const again = new Browser();
    again.cookie = kept;
    expect((await again.request('GET', '/api/v1/timelines/home')).status).toBe(401);
  });
});

it('X25 a newsroom closed to guests serves guests no content, and lets them sign in', async () => {
  const closed = await open(', public: false');
  try {
    for (const path of [
      '/api/v1/timelines/local',
      '/api/v1/pipelines',
      '/events/timeline/local',
      '/feeds/x.atom',
      '/%61pi/v1/users',
      '/%65vents/timeline/local',
      '/%66eeds/x.atom',
    ])
      expect((await fetch(`${closed.server.url}${path}`)).status, path).toBe(401);
    for (const path of ['/api/v1/session', '/api/v1/newsroom', '/healthz'])
      expect((await fetch(`${closed.server.url}${path}`)).status, path).toBe(200);
  } finally {
    await closed.server[Symbol.asyncDispose]();
    await closed.app[Symbol.asyncDispose]();
  }
});

it('a pipeline never posts as a person, and no user can register the name of a pipeline, source or author', async () => {
  const ben = await app.social.findUser('ben');
  expect(ben?.kind).toBe('person');
  const news = await open('', {}, NEWS);
  try {
    const { userId } = news.app.pipelines.get('ben') ?? {};
    expect(await news.app.social.findUser(userId ?? '')).toMatchObject({
      name: 'pipeline.ben',
      kind: 'pipeline',
    });
    for (const name of ['Morning', 'Herald', 'DESK', 'pipeline.x', 'Source.y']) {
      const link = (await news.app.auth.accounts.invite()).token;
      const response = await fetch(`${news.server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link, name, password: PASSWORD }),
      });
      expect(response.status, name).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [{ field: 'name' }] });
    }
  } finally {
    await news.server[Symbol.asyncDispose]();
    await news.app[Symbol.asyncDispose]();
  }
});

it('over HTTPS only the cookie with the __Host- prefix is accepted', async () => {
  const secure = await open(', address: "https://news.example/"');
  try {
    const response = await fetch(`${secure.server.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'hana', password: PASSWORD }),
    });
    const [set = '', ...attributes] = response.headers.get('set-cookie')?.split('; ') ?? [];
    expect(set).toMatch(/^__Host-kawaraban_session=/);
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      expect.stringMatching(/^Max-Age=\d+$/),
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const me = async (cookie: string): Promise<unknown> =>
      (
        (await (await fetch(`${secure.server.url}/api/v1/session`, { headers: { cookie } })).json()) as {
          me: unknown;
        }
      ).me;
    expect(await me(set)).toMatchObject({ name: 'hana' });
    expect(await me(set.replace('__Host-', ''))).toBeNull();
  } finally {
    await secure.server[Symbol.asyncDispose]();
    await secure.app[Symbol.asyncDispose]();
  }
});

it('a service with the shared secret issues tokens for users, and only valid ones are accepted', async () => {
  const secret = 'thirty-two characters, or some more';
  const settings = ', sign_in: { secret: { env: S }, issuer: "https://id.example", audience: news }';
  await expect(open(settings, { S: 'too short' })).rejects.toMatchObject({ name: 'SignInSecretError' });
  const shared = await open(settings, { S: secret });
  const status = async (
    claims: Record<string, unknown>,
    key = secret,
    path = '/api/v1/timelines/home',
  ): Promise<number> => {
    const token = await new SignJWT({ iss: 'https://id.example', aud: 'news', sub: 'ben', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5 minutes')
      .sign(new TextEncoder().encode(key));
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${shared.server.url}${path}`, { headers })).status;
  };
  try {
    expect(await status({})).toBe(200);
    expect(await status({ scope: 'write' })).toBe(403);
    expect(await status({ scope: 'write' }, secret, '/events/timeline/home')).toBe(403);
    expect(await status({ sub: 'unknown' })).toBe(401);
    expect(await status({ aud: 'elsewhere' })).toBe(401);
    expect(await status({ iss: 'https://evil.example' })).toBe(401);
    expect(await status({}, `${secret}!`)).toBe(401);
  } finally {
    await shared.server[Symbol.asyncDispose]();
    await shared.app[Symbol.asyncDispose]();
  }
});
