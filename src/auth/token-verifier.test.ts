import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Fetcher, FetchOutcome } from '../fetch/fetcher.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { PUBLIC_KEY_ALGORITHMS, remoteKeySet, SECRET_ALGORITHMS, TokenVerifier } from './token-verifier.ts';

const clock = new ManualClock();
const secret = new TextEncoder().encode('a secret of thirty-two characters');
const older = new TextEncoder().encode('the one before it, also thirty-two');
const own = {
  issuer: 'kawaraban',
  audience: 'kawaraban',
  algorithms: SECRET_ALGORITHMS,
  keys: { secrets: [secret, older] },
};
const ownVerifier = new TokenVerifier([own], clock);

function token(claims: Record<string, unknown> = {}): SignJWT {
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({ iss: 'kawaraban', aud: 'kawaraban', sub: 'u1', exp: now + 60, ...claims });
}
const signed = (claims = {}, key = secret): Promise<string> =>
  token(claims).setProtectedHeader({ alg: 'HS256' }).sign(key);

describe('a token signed with a secret', () => {
  it('yields subject, scopes and expiry', async () => {
    const exp = Math.floor(clock.now() / 1000) + 60;
    const reading = await ownVerifier.verify(await signed({ jti: 't1', scope: 'read write', exp }));
    expect(reading).toEqual({
      ok: true,
      claims: {
        issuer: 'kawaraban',
        subject: 'u1',
        id: 't1',
        expiresAt: exp * 1000,
        scopes: ['read', 'write'],
      },
    });
  });

  it('is accepted with the previous secret, and with no other', async () => {
    expect(await ownVerifier.verify(await signed({}, older))).toMatchObject({ ok: true });
    const other = new TextEncoder().encode('quite another, also of 32 letters');
    expect(await ownVerifier.verify(await signed({}, other))).toMatchObject({ ok: false, why: 'malformed' });
  });

  it('is accepted for the clock tolerance after its expiry, and no longer', async () => {
    const now = Math.floor(clock.now() / 1000);
    expect(await ownVerifier.verify(await signed({ exp: now - 20 }))).toMatchObject({ ok: true });
    expect(await ownVerifier.verify(await signed({ exp: now - 40 }))).toMatchObject({ why: 'expired' });
    expect(await ownVerifier.verify(await signed({ nbf: now + 40 }))).toMatchObject({ why: 'malformed' });
  });

  it.each([
    ['of another issuer', { iss: 'elsewhere' }, 'unknown'],
    ['for another audience', { aud: 'elsewhere' }, 'malformed'],
    ['without an expiry', { exp: undefined }, 'malformed'],
    ['without a subject', { sub: undefined }, 'malformed'],
    ['with an empty subject', { sub: '' }, 'malformed'],
  ])('is refused %s', async (_what, claims, why) => {
    expect(await ownVerifier.verify(await signed(claims))).toMatchObject({ ok: false, why });
  });

  it.each(['', 'x', 'a.b.c', 'é', 'x'.repeat(10_000)])('is refused when malformed: %.20s', async (bad) => {
    expect(await ownVerifier.verify(bad)).toMatchObject({ ok: false });
  });

  it('is refused without a signature, whatever its algorithm header', async () => {
    const body = (await signed()).split('.')[1] ?? '';
    const head = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await ownVerifier.verify(`${head}.${body}.`)).toMatchObject({ ok: false, why: 'malformed' });
  });
});

describe('a token verified by a key set', () => {
  async function provider() {
    const pairs = [await generateKeyPair('ES256'), await generateKeyPair('ES256')] as const;
    const keys = await Promise.all(
      pairs.map(async ({ publicKey }, n) => ({
        ...(await exportJWK(publicKey)),
        kid: `k${n}`,
        alg: 'ES256',
      })),
    );
    const idp = { published: keys.slice(0, 1), fetches: 0, isDown: false };
    const fetcher: Pick<Fetcher, 'fetch'> = {
      async fetch(): Promise<FetchOutcome> {
        idp.fetches += 1;
        if (idp.isDown) return { outcome: 'failed', why: 'refused', detail: 'id.example', sent: false };
        const body = new TextEncoder().encode(JSON.stringify({ keys: idp.published }));
        return { outcome: 'response', status: 200, headers: {}, body, url: '', movedTo: null, retryAt: null };
      },
    };
    const set = remoteKeySet({ url: 'https://id.example/keys', fetcher, clock });
    const trusted = { issuer: 'https://id.example', algorithms: PUBLIC_KEY_ALGORITHMS, keys: { set } };
    const sign = (n: 0 | 1): Promise<string> =>
      token({ iss: 'https://id.example' })
        .setProtectedHeader({ alg: 'ES256', kid: `k${n}` })
        .sign(pairs[n].privateKey);
    return { idp, keys, sign, verifier: new TokenVerifier([trusted], clock) };
  }

  it('fetches the keys once for many tokens, and again when they expire', async () => {
    const { idp, sign, verifier } = await provider();
    const first = await sign(0);
    await Promise.all([1, 2, 3].map(() => verifier.verify(first)));
    expect(idp.fetches).toBe(1);
    await clock.advance(11 * MINUTE);
    expect(await verifier.verify(await sign(0))).toMatchObject({ ok: true });
    expect(idp.fetches).toBe(2);
  });

  it('finds a rotated key, and limits refetches for unknown key IDs', async () => {
    const { idp, keys, sign, verifier } = await provider();
    expect(await verifier.verify(await sign(0))).toMatchObject({ ok: true });
    for (let i = 0; i < 5; i++) expect(await verifier.verify(await sign(1))).toMatchObject({ ok: false });
    expect(idp.fetches).toBe(1);
    idp.published = keys;
    await clock.advance(31 * SECOND);
    expect(await verifier.verify(await sign(1))).toMatchObject({ ok: true });
    expect(idp.fetches).toBe(2);
  });

  it('uses the cached keys while the provider is unavailable, and reports it when there are none', async () => {
    const { idp, sign, verifier } = await provider();
    idp.isDown = true;
    expect(await verifier.verify(await sign(0))).toMatchObject({ ok: false, why: 'unavailable' });
    await clock.advance(31 * SECOND);
    idp.isDown = false;
    expect(await verifier.verify(await sign(0))).toMatchObject({ ok: true });
    await clock.advance(11 * MINUTE);
    idp.isDown = true;
    expect(await verifier.verify(await sign(0))).toMatchObject({ ok: true });
  });

  it('does not accept a published key as a secret', async () => {
    const { keys, verifier } = await provider();
    const forged = await token({ iss: 'https://id.example' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k0' })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0])));
    expect(await verifier.verify(forged)).toMatchObject({ ok: false });
  });
});
