import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SeededNewsroom, seedNewsroom } from '../../../test/web/seeded-newsroom.ts';
import { type Identity, SCOPES, type Scope } from '../../auth/identity.ts';
import { Revocations } from '../../auth/revocations.ts';
import { EditUnsupportedError } from '../../social/rules.ts';
import type { User } from '../../social/social-store.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { csrfKey } from './csrf.ts';
import { type RunningServer, startServer } from './server.ts';

let newsroom: SeededNewsroom;
let server: RunningServer;
let revocations: Revocations;
let ann: User;
let ben: User;

/** `Bearer <user ID> <scopes…>`; with `control` it is the owner's. */
function identityOf(authorization: string): Identity {
  const [, userId = '', ...given] = authorization.split(' ');
  const scopes = new Set(given.length === 0 ? (['read', 'write'] as Scope[]) : (given as Scope[]));
  return {
    userId,
    name: userId,
    role: scopes.has('control') ? 'owner' : 'reader',
    scopes,
    expiresAt: Date.now() + MINUTE,
    credential: 'token',
    id: userId,
  };
}

beforeEach(async () => {
  newsroom = await seedNewsroom({ empty: true });
  revocations = new Revocations({ clock: systemClock });
  ann = await newsroom.writable.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  ben = await newsroom.writable.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  server = await startServer({
    newsroom,
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    auth: {
      authenticator: {
        authenticate: async ({ authorization }) =>
          authorization === undefined
            ? { kind: 'guest' }
            : { kind: 'known', identity: identityOf(authorization) },
      },
      csrf: csrfKey(new Uint8Array(32)),
      revocations,
      guests: true,
    },
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await revocations[Symbol.asyncDispose]();
  await newsroom[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function ask(
  as: string | null,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      ...(as !== null && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text), headers: answer.headers };
}

const homeOf = async (user: User): Promise<string[]> => {
  const { body } = await ask(user.id, 'GET', '/timelines/home');
  return (body.drops as { id: string }[]).map(({ id }) => id);
};

describe('writes over HTTP', () => {
  it('C13 follow adds drops to the home timeline, unfollow and block remove them', async () => {
    const posted = await ask(ben.id, 'POST', '/drops', { text: 'hello' });
    expect(posted).toMatchObject({ status: 201, body: { text: 'hello', author: { name: 'ben' } } });
    const id = String(posted.body.id);
    expect(posted.headers.get('location')).toBe(`/api/v1/drops/${id}`);
    expect(await homeOf(ann)).toEqual([]);
    expect(await ask(ann.id, 'PUT', '/users/ben/follow')).toMatchObject({
      status: 200,
      body: { following: true, changed: true },
    });
    await expect.poll(() => homeOf(ann)).toEqual([id]);
    expect((await ask(ann.id, 'DELETE', `/users/${ben.id}/follow`)).body).toEqual({
      following: false,
      changed: true,
    });
    await expect.poll(() => homeOf(ann)).toEqual([]);
    await ask(ann.id, 'PUT', '/users/ben/follow');
    await expect.poll(() => homeOf(ann)).toEqual([id]);
    expect((await ask(ben.id, 'PUT', '/users/ann/block')).body).toEqual({ blocked: true, changed: true });
    await expect.poll(() => homeOf(ann)).toEqual([]);
    expect(await ask(ann.id, 'PUT', '/users/ben/follow')).toMatchObject({ status: 409 });
    expect((await ask(ben.id, 'GET', '/blocks')).body).toMatchObject({ users: [{ name: 'ann' }] });
    expect((await ask(ben.id, 'DELETE', '/users/ann/block')).body).toEqual({ blocked: false, changed: true });
  });

  it('lists followers and followed users, in pages', async () => {
    for (let i = 0; i < 5; i++) {
      const reader = await newsroom.writable.addUser({ name: `r${i}`, displayName: '', kind: 'person' });
      await newsroom.writable.follow(reader.id, ben.id);
    }
    const names: string[] = [];
    for (let query = '?limit=2'; ; ) {
      const { body } = await ask(ann.id, 'GET', `/users/ben/followers${query}`);
      names.push(...(body.users as User[]).map(({ name }) => name));
      if (body.next === null) break;
      query = `?limit=2&cursor=${String(body.next)}`;
    }
    expect(names.toSorted()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
    const following = await ask(ann.id, 'GET', '/users/r0/following');
    expect(following.body).toMatchObject({ users: [{ name: 'ben' }], next: null });
    await ask(ann.id, 'PUT', '/users/ben/follow');
    expect((await ask(ann.id, 'GET', '/users/ben/relation')).body).toEqual({
      following: true,
      followedBy: false,
      blocked: false,
    });
  });

  it('posts an idempotency key once per user, and deletes only own drops', async () => {
    const key = { 'idempotency-key': 'k' };
    const first = await ask(ann.id, 'POST', '/drops', { text: 'a' }, key);
    const again = await ask(ann.id, 'POST', '/drops', { text: 'b' }, key);
    expect(again.body).toEqual(first.body);
    const other = await ask(ben.id, 'POST', '/drops', { text: 'c' }, key);
    expect(other.body).toMatchObject({ text: 'c' });
    const path = `/drops/${String(first.body.id)}`;
    expect((await ask(ben.id, 'DELETE', path)).status).toBe(403);
    expect((await ask(ann.id, 'DELETE', path)).status).toBe(204);
    expect((await ask(ann.id, 'DELETE', path)).status).toBe(404);
    expect((await ask(null, 'GET', path)).status).toBe(404);
    expect((await ask(ann.id, 'POST', '/drops', { text: 'a' }, key)).status).toBe(409);
  });

  it('R22 edits only own drops, and timelines show the new text at its old place', async () => {
    await ask(ann.id, 'PUT', '/users/ben/follow');
    const first = await ask(ben.id, 'POST', '/drops', { text: 'frist' });
    const second = await ask(ben.id, 'POST', '/drops', { text: 'second' });
    const path = `/drops/${String(first.body.id)}`;
    expect(first.body.editedAt).toBeNull();
    expect(await ask(ann.id, 'PATCH', path, { text: 'mine' })).toMatchObject({
      status: 403,
      body: { code: 'not_your_post' },
    });
    expect(await ask(null, 'PATCH', path, { text: 'mine' })).toMatchObject({ status: 401 });
    const edited = await ask(ben.id, 'PATCH', path, { text: 'first' });
    expect(edited).toMatchObject({ status: 200, body: { text: 'first', editedAt: expect.any(Number) } });
    await expect.poll(() => homeOf(ann)).toEqual([second.body.id, first.body.id]);
    const { body } = await ask(ann.id, 'GET', '/timelines/home');
    expect(body.drops).toMatchObject([{ text: 'second' }, { text: 'first' }]);
    expect(await ask(ben.id, 'PATCH', path, { text: '  ' })).toMatchObject({ status: 400 });
    await ask(ben.id, 'DELETE', path);
    expect(await ask(ben.id, 'PATCH', path, { text: 'x' })).toMatchObject({ status: 404 });
  });

  it('R22 reports that a remote post service cannot edit', async () => {
    const { body } = await ask(ben.id, 'POST', '/drops', { text: 'a' });
    newsroom.writable.editDrop = () => Promise.reject(new EditUnsupportedError());
    expect(await ask(ben.id, 'PATCH', `/drops/${String(body.id)}`, { text: 'b' })).toMatchObject({
      status: 409,
      body: { code: 'post_edit_unsupported' },
    });
  });

  it('R19 a problem carries a stable code with the values of its text', async () => {
    expect((await ask(ann.id, 'PUT', '/users/no-such/follow')).body).toMatchObject({
      code: 'not_found',
      parameters: { what: 'user "no-such"' },
    });
    expect((await ask(ann.id, 'PUT', '/users/ann/follow')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'id', code: 'own_account' }],
    });
    expect((await ask(null, 'POST', '/drops', { text: 'x' })).body).toMatchObject({
      code: 'sign_in_required',
    });
  });

  it('reports a drop that the caller may not see as missing', async () => {
    const hidden = await ask(ann.id, 'POST', '/drops', { text: 'x', visibility: 'private' });
    expect((await ask(ben.id, 'DELETE', `/drops/${String(hidden.body.id)}`)).status).toBe(404);
  });

  it('lets only the owner create users', async () => {
    expect((await ask(ann.id, 'POST', '/users', { name: 'cat' })).status).toBe(403);
    const owner = `${ann.id} ${SCOPES.join(' ')}`;
    const made = await ask(owner, 'POST', '/users', { name: 'cat' });
    expect(made).toMatchObject({ status: 201, body: { name: 'cat', displayName: 'cat', kind: 'person' } });
    expect((await ask(owner, 'POST', '/users', { name: 'cat' })).status).toBe(409);
  });

  it.each([
    ['guest', 'PUT', '/users/ben/follow', undefined, 401],
    ['guest', 'POST', '/drops', { text: 'x' }, 401],
    ['reader', 'POST', '/drops', { text: 'x' }, 403],
    ['ann', 'PUT', '/users/no-such/follow', undefined, 404],
    ['ann', 'PUT', '/users/ann/follow', undefined, 400],
    ['ann', 'PUT', '/users/ann/block', undefined, 400],
    ['ann', 'DELETE', '/drops/no-such', undefined, 404],
    ['ann', 'POST', '/drops', { text: ' ' }, 400],
    ['ann', 'POST', '/drops', { text: 'x', url: 'javascript:alert(1)' }, 400],
    ['ann', 'POST', '/drops', { text: 'x', visibility: 'secret' }, 400],
    ['ann', 'POST', '/drops', { text: 'x', colour: 'red' }, 400],
    ['ann', 'POST', '/drops', { text: 'x'.repeat(100_001) }, 400],
    ['ann', 'GET', '/users/ben/followers?limit=0', undefined, 400],
  ])('as %s refuses %s %s %j with %i and a detail', async (who, method, path, body, status) => {
    const as = who === 'guest' ? null : who === 'reader' ? `${ann.id} read` : ann.id;
    const answer = await ask(as, method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject(status === 400 ? { errors: [{ field: expect.any(String) }] } : {});
    expect((await ask(null, 'GET', '/timelines/local')).body.drops).toEqual([]);
  });
});
