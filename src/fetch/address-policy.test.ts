import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { AddressPolicy, AllowEntryError } from './address-policy.ts';
import { badAddresses, publicAddresses } from './addresses.testdata.ts';
import { createFetcher } from './create-fetcher.ts';
import type { Resolve } from './exchange.ts';
import type { Fetcher } from './fetcher.ts';
import { answer, type RawServer, rawServer } from './raw-server.fixture.ts';

function fetcherWith(resolve: Resolve, allow: readonly string[] = []): Fetcher {
  return createFetcher({
    clock: new ManualClock(),
    log: silentLogger,
    allow,
    resolve,
    limits: { spacingMs: 0 },
    hasInterface: () => true,
  });
}

describe('the address guard', () => {
  for (const { url, why, resolvesTo } of badAddresses)
    it(`X6 refuses ${url.slice(0, 80)}${resolvesTo ? ` at ${resolvesTo.join(', ') || 'no address'}` : ''}`, async () => {
      let asked = 0;
      const fetcher = fetcherWith(async () => {
        asked++;
        if (!resolvesTo) throw new Error('a literal needs no resolver');
        return resolvesTo;
      });
      const outcome = await fetcher.fetch({ url });
      await fetcher[Symbol.asyncDispose]();
      expect(outcome).toMatchObject({ outcome: 'failed', why, sent: false });
      expect(resolvesTo !== undefined || asked === 0).toBe(true);
    });

  it('X6 allows the public neighbours of every range', () => {
    const policy = new AddressPolicy([]);
    const refused = publicAddresses.filter((address) => policy.objection(address, address, 443) !== null);
    expect(refused).toEqual([]);
  });
});

describe('the guard and real connections', () => {
  let inside: RawServer;
  let outside: RawServer;
  beforeAll(async () => {
    inside = await rawServer(() => answer(200, {}, 'secret'));
    outside = await rawServer(() => answer(200, {}, 'public'), '127.0.0.2');
  });
  afterAll(async () => {
    await inside[Symbol.asyncDispose]();
    await outside[Symbol.asyncDispose]();
  });

  it('X6 pins the checked address: DNS rebinding has no effect', async () => {
    const answers = ['127.0.0.2', '127.0.0.1'];
    const asked: string[] = [];
    const fetcher = fetcherWith(
      async (host) => {
        asked.push(host);
        return [answers[Math.min(asked.length, answers.length) - 1] ?? ''];
      },
      ['127.0.0.2'],
    );
    const first = await fetcher.fetch({ url: `http://rebind.example:${outside.port}/` });
    expect(first).toMatchObject({ outcome: 'response', status: 200 });
    expect(asked).toEqual(['rebind.example']);
    const second = await fetcher.fetch({ url: `http://rebind.example:${inside.port}/` });
    expect(second).toMatchObject({ outcome: 'failed', why: 'blocked_address', sent: false });
    expect(inside.connections).toBe(0);
    await fetcher[Symbol.asyncDispose]();
  });

  it('X6 connects only to the permitted ones of several addresses', async () => {
    const fetcher = fetcherWith(async () => ['127.0.0.1', '10.0.0.1', '127.0.0.2'], ['127.0.0.2']);
    const outcome = await fetcher.fetch({ url: `http://mixed.example:${outside.port}/` });
    expect(outcome).toMatchObject({ outcome: 'response', status: 200 });
    expect(inside.connections).toBe(0);
    await fetcher[Symbol.asyncDispose]();
  });

  it('X6 tries the next address when one does not answer', async () => {
    const fetcher = fetcherWith(async () => ['127.0.0.3', '127.0.0.2'], ['127.0.0.0/8']);
    const outcome = await fetcher.fetch({ url: `http://two.example:${outside.port}/` });
    expect(outcome).toMatchObject({ outcome: 'response', status: 200 });
    await fetcher[Symbol.asyncDispose]();
  });

  it('X6 sends the name, not the address, as Host', async () => {
    const fetcher = fetcherWith(async () => ['127.0.0.2'], ['127.0.0.2']);
    await fetcher.fetch({ url: `http://named.example:${outside.port}/`, headers: { host: 'other.example' } });
    expect(outside.heads.at(-1)?.toLowerCase()).toContain(`host: named.example:${outside.port}`);
    await fetcher[Symbol.asyncDispose]();
  });
});

describe('the allow-list', () => {
  it.each([
    [['127.0.0.1'], '127.0.0.1', 'h.example', 8080, true],
    [['127.0.0.1'], '127.0.0.2', 'h.example', 8080, false],
    [['127.0.0.0/8'], '127.9.9.9', 'h.example', 6379, true],
    [['127.0.0.1:8080'], '127.0.0.1', '127.0.0.1', 8080, true],
    [['127.0.0.1:8080'], '127.0.0.1', '127.0.0.1', 8081, false],
    [['127.0.0.1'], '::ffff:127.0.0.1', '::ffff:127.0.0.1', 80, true],
    [['::1'], '::1', '::1', 80, true],
    [['[::1]:8080'], '::1', '::1', 8080, true],
    [['[::1]:8080'], '::1', '::1', 80, false],
    [['fd00::/8'], 'fd00::5', 'h.example', 80, true],
    [['ollama.internal:11434'], '10.1.1.1', 'Ollama.internal.', 11434, true],
    [['ollama.internal:11434'], '10.1.1.1', 'ollama.internal', 80, false],
    [['ollama.internal:11434'], '10.1.1.1', 'other.internal', 11434, false],
    [['nas.home'], '192.168.1.2', 'nas.home', 8080, true],
    [['10.0.0.0/8'], '8.8.8.8', 'h.example', 22, false],
    [['mail.example:25'], '8.8.8.8', 'mail.example', 25, true],
  ])('X6 %j and %s as %s on %i: %s', (allow, address, host, port, may) => {
    expect(new AddressPolicy(allow).objection(address, host, port) === null).toBe(may);
  });

  it.each([
    '',
    ' ',
    '10.0.0',
    '10.0.0.0/33',
    '300.1.1.1',
    'a b',
    '[::1',
    'name:0',
    'name:99999',
    'http://x/',
    '*',
    '::1%eth0',
  ])('X6 rejects the invalid entry %j', (entry) => {
    expect(() => new AddressPolicy([entry])).toThrow(AllowEntryError);
  });
});
