import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { FetchLimits } from './create-fetcher.ts';
import { createFetcher } from './create-fetcher.ts';
import type { Fetcher, FetchOutcome } from './fetcher.ts';
import { answer, type RawAnswer, type RawServer, rawServer } from './raw-server.fixture.ts';
import { hostileRedirects, hostileResponses, MAX_BYTES } from './responses.testdata.ts';

const resolve = async (host: string): Promise<readonly string[]> =>
  host === 'inside.example' ? ['10.9.8.7'] : ['127.0.0.1'];

function fetcherWith(limits: Partial<FetchLimits> = {}, clock = new ManualClock()): Fetcher {
  return createFetcher({
    clock,
    log: silentLogger,
    allow: ['127.0.0.1'],
    contact: 'https://example.org/about',
    resolve,
    limits: { spacingMs: 0, maxBytes: MAX_BYTES, ...limits },
    hasInterface: () => true,
  });
}

async function serving<T>(
  serves: Readonly<Record<string, RawAnswer>> | RawAnswer,
  use: (server: RawServer) => Promise<T>,
): Promise<T> {
  const byPath = typeof serves === 'object' && !ArrayBuffer.isView(serves) ? serves : null;
  const server = await rawServer((path) =>
    byPath ? (byPath[path] ?? answer(404, {})) : (serves as RawAnswer),
  );
  try {
    return await use(server);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

function textOf(outcome: FetchOutcome): string {
  return outcome.outcome === 'response' ? Buffer.from(outcome.body).toString() : outcome.detail;
}

describe('hostile and broken answers', () => {
  for (const { name, serves, expected, body } of [...hostileResponses, ...hostileRedirects])
    it(`X6 ${name}`, () =>
      serving(serves, async (server) => {
        const fetcher = fetcherWith();
        const outcome = await fetcher.fetch({ url: `${server.origin}/` });
        await fetcher[Symbol.asyncDispose]();
        expect(outcome).toMatchObject(expected);
        expect(textOf(outcome)).toBe(body ?? textOf(outcome));
      }));

  it('X6 a truncated gzip is read as far as it goes', () => {
    const whole = gzipSync(Array.from({ length: 3000 }, (_, i) => `line ${i * 7919}`).join('\n'));
    return serving(
      answer(200, { 'content-encoding': 'gzip' }, whole.subarray(0, whole.length / 2)),
      async (server) => {
        const fetcher = fetcherWith();
        const outcome = await fetcher.fetch({ url: server.origin });
        expect(outcome).toMatchObject({ outcome: 'response', status: 200 });
        expect(textOf(outcome)).toMatch(/^line 0\nline 7919\n/);
        await fetcher[Symbol.asyncDispose]();
      },
    );
  });
});

describe('time', () => {
  it('X6 a server that sends byte by byte times out after the total time', () =>
    serving(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(drip));
      },
      async (server) => {
        const clock = new ManualClock();
        const fetcher = fetcherWith({ totalMs: 5000 }, clock);
        const reading = fetcher.fetch({ url: server.origin });
        await server.arrived(1);
        await clock.advance(4999);
        await clock.advance(1);
        expect(await reading).toMatchObject({ outcome: 'failed', why: 'timeout', sent: true });
        await fetcher[Symbol.asyncDispose]();
      },
    ));

  it('X6 a name that never resolves times out after the total time, and nothing is sent', async () => {
    const clock = new ManualClock();
    const fetcher = createFetcher({
      clock,
      log: silentLogger,
      resolve: () => new Promise(() => {}),
      hasInterface: () => true,
    });
    const reading = fetcher.fetch({ url: 'http://slow.example/', timeoutMs: 3000 });
    await clock.advance(3000);
    expect(await reading).toMatchObject({ outcome: 'failed', why: 'timeout', sent: false });
    await fetcher[Symbol.asyncDispose]();
  });

  it.each([
    ['says nothing', ''],
    ['stops in its headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['stops in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhel'],
  ])('X6 a server that %s times out after the idle time', (_, bytes) =>
    serving(
      (socket) => socket.write(bytes),
      async (server) => {
        const fetcher = fetcherWith({ idleMs: 100 });
        const outcome = await fetcher.fetch({ url: server.origin });
        expect(outcome).toMatchObject({ outcome: 'failed', why: 'timeout', sent: true });
        await fetcher[Symbol.asyncDispose]();
      },
    ),
  );

  it('X6 redirects share one time budget', () =>
    serving({ '/': answer(302, { location: '/slow' }), '/slow': () => {} }, async (server) => {
      const clock = new ManualClock();
      const fetcher = fetcherWith({ totalMs: 1000 }, clock);
      const reading = fetcher.fetch({ url: `${server.origin}/` });
      await server.arrived(2);
      await clock.advance(1000);
      expect(await reading).toMatchObject({ outcome: 'failed', why: 'timeout' });
      await fetcher[Symbol.asyncDispose]();
    }));

  it('an aborting caller gets an answer at once', () =>
    serving(
      () => {},
      async (server) => {
        const fetcher = fetcherWith();
        const giveUp = new AbortController();
        const reading = fetcher.fetch({ url: server.origin }, giveUp.signal);
        await server.arrived(1);
        giveUp.abort();
        expect(await reading).toMatchObject({ outcome: 'failed', why: 'aborted', sent: true });
        expect(await fetcher.fetch({ url: server.origin }, giveUp.signal)).toMatchObject({
          why: 'aborted',
          sent: false,
        });
        await fetcher[Symbol.asyncDispose]();
      },
    ));
});

describe('what is sent', () => {
  it('X5 a User-Agent with a contact, the caller’s conditional headers, and Accept-Encoding', () =>
    serving(answer(304, {}), async (server) => {
      const fetcher = fetcherWith();
      await fetcher.fetch({ url: server.origin, headers: { 'If-None-Match': '"abc"' } });
      const head = server.heads[0]?.toLowerCase();
      expect(head).toContain('user-agent: kawaraban/0.1 (+https://example.org/about)');
      expect(head).toContain('if-none-match: "abc"');
      expect(head).toContain('accept-encoding: gzip, deflate, br, zstd');
      await fetcher[Symbol.asyncDispose]();
    }));

  it('X7 a secret header is not sent to another origin after a redirect, but to the same one', () =>
    serving(answer(200, {}), (other) =>
      serving(
        {
          '/': answer(302, { location: '/same' }),
          '/same': answer(302, { location: `${other.origin}/there` }),
        },
        async (server) => {
          const fetcher = fetcherWith();
          await fetcher.fetch({
            url: `${server.origin}/`,
            headers: {
              authorization: 'Bearer hush',
              'x-api-key': 'hush',
              accept: 'text/html',
              'if-none-match': '"1"',
            },
          });
          expect(server.heads[1]).toContain('Bearer hush');
          expect(other.heads[0]).not.toContain('hush');
          expect(other.heads[0]).toContain('accept: text/html');
          await fetcher[Symbol.asyncDispose]();
        },
      ),
    ));

  it('a header that cannot be sent is an error that does not repeat it', async () => {
    const fetcher = fetcherWith();
    const bad = fetcher.fetch({ url: 'http://127.0.0.1:8080/', headers: { 'x-key': 'hush\r\nevil: yes' } });
    await expect(bad).rejects.toThrow(/x-key/);
    await expect(bad).rejects.not.toThrow(/hush/);
    await fetcher[Symbol.asyncDispose]();
  });
});

describe('permanent redirects', () => {
  it.each([
    [301, 301, 200, true],
    [301, 308, 304, true],
    [301, 302, 200, false],
    [307, 301, 200, false],
    [301, 301, 404, false],
  ])('X5 by %i and %i to a %i: remembered %s', (first, second, status, moved) =>
    serving(
      {
        '/': answer(first, { location: '/a' }),
        '/a': answer(second, { location: '/b' }),
        '/b': answer(status, {}),
      },
      async (server) => {
        const fetcher = fetcherWith();
        const outcome = await fetcher.fetch({ url: `${server.origin}/` });
        expect(outcome).toMatchObject({
          url: `${server.origin}/b`,
          movedTo: moved ? `${server.origin}/b` : null,
        });
        await fetcher[Symbol.asyncDispose]();
      },
    ),
  );
});

describe('requests with side effects', () => {
  it('a POST is not redirected', () =>
    serving({ '/': answer(307, { location: '/b' }), '/b': answer(200, {}) }, async (server) => {
      const fetcher = fetcherWith();
      const outcome = await fetcher.fetch({ url: `${server.origin}/`, method: 'POST', body: 'x' });
      expect(outcome).toMatchObject({ outcome: 'response', status: 307 });
      expect(server.heads).toHaveLength(1);
      await fetcher[Symbol.asyncDispose]();
    }));

  it.each(['POST', 'PATCH', 'PUT', 'DELETE'] as const)(
    'a %s whose connection breaks is sent once and unknown',
    (method) =>
      serving(
        (socket) => socket.destroy(),
        async (server) => {
          const fetcher = fetcherWith();
          const outcome = await fetcher.fetch({ url: server.origin, method, body: 'x' });
          expect(outcome).toMatchObject({ outcome: 'failed', why: 'reset', sent: true });
          expect(server.heads).toHaveLength(1);
          await fetcher[Symbol.asyncDispose]();
        },
      ),
  );

  it('a GET whose connection breaks is retried once', () => {
    let asked = 0;
    return serving(
      (socket) => (++asked === 1 ? socket.destroy() : socket.end(answer(200, {}, 'now'))),
      async (server) => {
        const fetcher = fetcherWith();
        expect(textOf(await fetcher.fetch({ url: server.origin }))).toBe('now');
        await fetcher[Symbol.asyncDispose]();
      },
    );
  });

  it('a POST that is refused was not sent', async () => {
    const server = await rawServer(() => '');
    await server[Symbol.asyncDispose]();
    const fetcher = fetcherWith();
    const outcome = await fetcher.fetch({ url: server.origin, method: 'POST', body: 'x' });
    expect(outcome).toMatchObject({ outcome: 'failed', why: 'refused', sent: false });
    await fetcher[Symbol.asyncDispose]();
  });

  it('plain HTTP where TLS is expected is a TLS failure', async () => {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const fetcher = fetcherWith();
    const outcome = await fetcher.fetch({ url: `https://127.0.0.1:${port}/` });
    expect(outcome).toMatchObject({ outcome: 'failed', why: 'tls', sent: false });
    await fetcher[Symbol.asyncDispose]();
    server.close();
  });
});

describe('connections', () => {
  it('X5 connections are reused', () =>
    serving(
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok'),
      async (server) => {
        const fetcher = fetcherWith();
        for (let i = 0; i < 10; i++)
          expect(textOf(await fetcher.fetch({ url: `${server.origin}/${i}` }))).toBe('ok');
        expect(server.connections).toBeLessThanOrEqual(2);
        await fetcher[Symbol.asyncDispose]();
      },
    ));
});
