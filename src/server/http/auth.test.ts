import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SeededNewsroom, seedNewsroom } from '../../../test/web/seeded-newsroom.ts';
import type { Authenticator, Identity } from '../../auth/identity.ts';
import { scopesOf } from '../../auth/identity.ts';
import { Revocations } from '../../auth/revocations.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { csrfKey } from './csrf.ts';
import { type RunningServer, startServer } from './server.ts';

let newsroom: SeededNewsroom;
let server: RunningServer;
const revocations = new Revocations({ clock: systemClock });
const csrf = csrfKey(new Uint8Array(32).fill(7));
let ann: Identity;

const authenticator: Authenticator = {
  async authenticate({ session, authorization }) {
    if (authorization === 'Bearer ann') return { kind: 'known', identity: { ...ann, credential: 'token' } };
    if (authorization !== undefined)
      return { kind: 'refused', by: 'token', why: 'expired', detail: 'The token has expired.' };
    if (session === 'ann') return { kind: 'known', identity: ann };
    if (session === 'old')
      return { kind: 'refused', by: 'session', why: 'expired', detail: 'Your session has ended.' };
    return { kind: 'guest' };
  },
};

beforeAll(async () => {
  newsroom = await seedNewsroom({ drops: 3 });
  const { id, name } = await newsroom.writable.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  ann = {
    userId: id,
    name,
    role: 'reader',
    scopes: scopesOf('reader'),
    expiresAt: Date.now() + MINUTE,
    credential: 'session',
    id: 'session-1',
  };
  await newsroom.writable.follow(id, newsroom.pipelineUser.id);
  server = await startServer({
    newsroom,
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    auth: { authenticator, csrf, revocations, guests: true },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await revocations[Symbol.asyncDispose]();
  await newsroom[Symbol.asyncDispose]();
});

const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers });

describe('the home timeline', () => {
  it('C5 is served to its user, by cookie and by token', async () => {
    for (const headers of [{ cookie: 'kawaraban_session=ann' }, { authorization: 'Bearer ann' }]) {
      const answer = await ask('/api/v1/timelines/home', headers);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ drops: [{}, {}, {}] });
    }
  });

  it('C5 is refused to a guest, and to an expired session or token', async () => {
    const guest = await ask('/api/v1/timelines/home');
    expect(guest.status).toBe(401);
    expect(guest.headers.get('www-authenticate')).toBe('Bearer');
    const old = await ask('/api/v1/timelines/home', { cookie: 'kawaraban_session=old' });
    expect(await old.json()).toMatchObject({ status: 401, detail: 'Your session has ended.' });
    expect((await ask('/api/v1/timelines/local', { cookie: 'kawaraban_session=old' })).status).toBe(200);
    expect((await ask('/api/v1/timelines/local', { authorization: 'Bearer x' })).status).toBe(401);
  });

  it('C23 streams to its user, and the stream ends when the session is revoked', async () => {
    const answer = await ask('/events/timeline/home', { cookie: 'kawaraban_session=ann' });
    expect(answer.status).toBe(200);
    let heard = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
      return 'ended';
    })();
    const id = await newsroom.postNext();
    await expect.poll(() => heard).toContain(id);
    revocations.notifyRevoked(ann.id);
    expect(await reading).toBe('ended');
    await expect.poll(() => newsroom.streams.openCount).toBe(0);
    expect(revocations.listenerCount).toBe(0);
  });

  it.each(['access_token', 'token', 'api_key', 'password'])(
    'X7 takes no %s from an address',
    async (name) => {
      for (const path of ['/api/v1/timelines/home', '/events/timeline/home']) {
        const answer = await ask(`${path}?${name}=abc`, { authorization: 'Bearer ann' });
        expect(answer.status).toBe(400);
        expect(await answer.text()).not.toContain('abc');
      }
    },
  );
});

describe('a cross-site request', () => {
  const send = (headers: Record<string, string>) => ask('/api/v1/nothing', headers, { method: 'POST' });
  it('is rejected by Origin, by Sec-Fetch-Site, and without the CSRF token', async () => {
    const token = csrf.tokenFor(ann.id);
    const here = new URL(server.url).origin;
    const statuses = await Promise.all(
      [
        { cookie: 'kawaraban_session=ann' },
        { cookie: 'kawaraban_session=ann', 'x-csrf-token': 'x' },
        { cookie: 'kawaraban_session=ann', 'x-csrf-token': token, origin: 'https://evil.example' },
        { cookie: 'kawaraban_session=ann', 'x-csrf-token': token, 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example' },
        { cookie: 'kawaraban_session=ann', 'x-csrf-token': token, origin: here },
        { authorization: 'Bearer ann' },
        {},
      ].map(async (headers) => (await send(headers as Record<string, string>)).status),
    );
    expect(statuses).toEqual([403, 403, 403, 403, 403, 404, 404, 404]);
  });
});
