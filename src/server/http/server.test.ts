import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SeededNewsroom, seedNewsroom } from '../../../test/web/seeded-newsroom.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { createEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { silentMetrics } from '../../telemetry/metrics.ts';
import { type RunningServer, startServer } from './server.ts';

let newsroom: SeededNewsroom;
let server: RunningServer;
let webRoot: string;

beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'kawaraban-page-'));
  await mkdir(join(webRoot, 'assets'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(webRoot, 'assets', 'main-abc.js'), 'console.log("plain")');
  await writeFile(join(webRoot, 'assets', 'main-abc.js.br'), brotliCompressSync('console.log("packed")'));
  newsroom = await seedNewsroom({ drops: 45 });
  server = await startServer({ newsroom, host: '127.0.0.1', port: 0, log: silentLogger, webRoot });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await newsroom[Symbol.asyncDispose]();
  await rm(webRoot, { recursive: true });
});
afterEach(() => {
  newsroom.broken = false;
});

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.url}${path}`, init);
// biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
const json = async (path: string): Promise<any> => (await get(path)).json();

describe('the API', () => {
  it('C14 C15 pages through the local timeline, with texts and authors, to the end', async () => {
    const ids: string[] = [];
    for (let at = '/api/v1/timelines/local'; ; ) {
      const { drops, cursors } = await json(at);
      for (const drop of drops) {
        expect(drop).toMatchObject({ author: { name: 'daily', kind: 'pipeline' }, visibility: 'public' });
        expect(drop.text).not.toBe('');
        ids.push(drop.id);
      }
      if (cursors.older === null) break;
      at = `/api/v1/timelines/local?limit=20&max_id=${cursors.older}`;
    }
    expect(ids).toHaveLength(45);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });

  it('C7 a new drop is on the next page requested with since_id', async () => {
    const { cursors } = await json('/api/v1/timelines/global?limit=1');
    const id = await newsroom.postNext();
    await expect
      .poll(async () => (await json(`/api/v1/timelines/global?since_id=${cursors.newer}`)).drops.length)
      .toBe(1);
    expect(await json(`/api/v1/drops/${id}`)).toMatchObject({ id, pipeline: 'daily' });
  });

  it('C5 refuses the home timeline to guests', async () => {
    for (const path of ['/api/v1/timelines/home', '/events/timeline/home'])
      expect((await get(path)).status).toBe(401);
  });

  it('C20 streams from the cursor of a page, and opens no stream for HEAD', async () => {
    expect((await get('/events/timeline/local', { method: 'HEAD' })).status).toBe(405);
    expect(newsroom.streams.openCount).toBe(0);
    const { cursors } = await json('/api/v1/timelines/local?limit=1');
    const missed = await newsroom.postNext();
    const stop = new AbortController();
    const answer = await get(`/events/timeline/local?since_id=${cursors.newer}`, { signal: stop.signal });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const live = await newsroom.postNext();
    let heard = '';
    const listening = (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
    })().catch(() => {});
    await expect.poll(() => heard).toContain(live);
    expect(heard.indexOf(missed)).toBeGreaterThan(0);
    expect(heard.indexOf(missed)).toBeLessThan(heard.indexOf(live));
    stop.abort();
    await listening;
    await expect.poll(() => newsroom.streams.openCount).toBe(0);
  });

  it('C22 prefers Last-Event-ID if both are given, as when a browser reconnects', async () => {
    const first = await json('/api/v1/timelines/local?limit=1');
    const known = await newsroom.postNext();
    await expect.poll(async () => (await json('/api/v1/timelines/local?limit=1')).drops[0].id).toBe(known);
    const second = await json('/api/v1/timelines/local?limit=1');
    const stop = new AbortController();
    const answer = await get(`/events/timeline/local?since_id=${first.cursors.newer}`, {
      signal: stop.signal,
      headers: { 'last-event-id': second.cursors.newer },
    });
    const live = await newsroom.postNext();
    let heard = '';
    const listening = (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
    })().catch(() => {});
    await expect.poll(() => heard).toContain(live);
    expect(heard).not.toContain(`"${known}"`);
    stop.abort();
    await listening;
  });

  it('never shows a drop that is not public', async () => {
    const { drop } = await newsroom.writable.post({
      userId: newsroom.pipelineUser.id,
      visibility: 'followers',
      text: 'among us',
    });
    expect((await get(`/api/v1/drops/${drop.id}`)).status).toBe(404);
  });

  it('returns pipelines, items, an item with its history, sources and users', async () => {
    expect((await json('/api/v1/pipelines')).pipelines[0]).toMatchObject({ id: 'daily', state: 'running' });
    expect(await json('/api/v1/pipelines/videos')).toMatchObject({ state: 'failing' });
    const { items, next } = await json('/api/v1/items?pipeline=daily&state=published,rejected&limit=2');
    expect(items).toHaveLength(2);
    const more = await json(`/api/v1/items?pipeline=daily&state=published,rejected&limit=2&cursor=${next}`);
    expect(more.items[0].key).not.toBe(items[0].key);
    const item = await json(`/api/v1/item?pipeline=daily&key=${encodeURIComponent(items[0].key)}`);
    expect(item.history.map((line: { event: string }) => line.event)).toContain('admit');
    expect(JSON.stringify(item.deliveries)).not.toContain('not for readers');
    expect((await json('/api/v1/sources')).sources).toHaveLength(3);
    expect((await json('/api/v1/judges')).judges).toMatchObject([
      { judge: 'gemini', today: { calls: 120 }, limits: { callsPerDay: 500 } },
    ]);
    expect((await json('/api/v1/users')).users).toHaveLength(1);
    expect(await json('/api/v1/users/daily')).toMatchObject({ displayName: 'Daily Sheet' });
    expect(await json('/api/v1/newsroom')).toMatchObject({ sample: true, engine: 'embedded' });
  });

  it.each([
    ['/api/v1/timelines/local?limit=0', 400, 'limit'],
    ['/api/v1/timelines/local?limit=101', 400, 'limit'],
    ['/api/v1/timelines/local?limit=many', 400, 'limit'],
    ['/api/v1/timelines/local?since_id=x', 400, 'since_id'],
    ['/api/v1/timelines/local?max_id=%00', 400, 'max_id'],
    ['/api/v1/timelines/local?page=2', 400, 'page'],
    ['/api/v1/timelines/local?limit=1&limit=2', 400, 'limit'],
    ['/api/v1/timelines/mine', 404, null],
    ['/api/v1/timelines/constructor', 404, null],
    ['/api/v1/items', 400, 'pipeline'],
    ['/api/v1/items?pipeline=daily&state=lost', 400, 'state'],
    ['/api/v1/items?pipeline=daily&cursor=x', 400, 'cursor'],
    ['/api/v1/items?pipeline=none', 404, null],
    ['/api/v1/item?pipeline=daily', 400, 'key'],
    ['/api/v1/item?pipeline=daily&key=none', 404, null],
    ['/api/v1/pipelines/none', 404, null],
    ['/api/v1/drops/none', 404, null],
    ['/api/v1/users/none', 404, null],
    ['/api/v1/nothing', 404, null],
    ['/events/timeline/local?since_id=x', 400, 'since_id'],
    ['/events/timeline/local?access_token=abc', 400, 'access_token'],
    ['/%E0%A4%A', 400, null],
  ])('GET %s is answered with %i and a readable problem document', async (path, status, field) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    // biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
    const problem = (await answer.json()) as any;
    expect(problem).toMatchObject({ type: 'about:blank', status });
    expect(problem.detail.length).toBeGreaterThan(10);
    expect(problem.errors?.[0].field ?? null).toBe(field);
  });

  it('reports an internal error without its details', async () => {
    newsroom.broken = true;
    const answer = await get('/api/v1/pipelines');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('ledger');
  });
});

describe('health and metrics', () => {
  it('distinguishes liveness from readiness', async () => {
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    newsroom.broken = true;
    expect((await get('/healthz')).status).toBe(200);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('cannot be opened');
  });

  it('X7 shows guests neither the metrics nor which component is not ready', async () => {
    const replica = await startServer({
      newsroom: { ...newsroom, liveness: () => ({ alive: false, hung: ['retention'] }) },
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot,
      metricsFrom: ['192.0.2.0/24'],
    });
    newsroom.broken = true;
    try {
      expect((await fetch(`${replica.url}/metrics`)).status).toBe(401);
      expect(await (await fetch(`${replica.url}/healthz`)).json()).toEqual({ alive: false });
      const elsewhere = await fetch(`${replica.url}/readyz`);
      expect(elsewhere.status).toBe(503);
      expect(await elsewhere.json()).toEqual({ ready: false });
      // Through a proxy on this machine.
      for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
        expect((await fetch(`${server.url}/metrics`, { headers })).status).toBe(401);
        expect(await (await fetch(`${server.url}/readyz`, { headers })).json()).toEqual({ ready: false });
      }
    } finally {
      await replica[Symbol.asyncDispose]();
    }
  });

  it('serves the metrics', async () => {
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).toContain('version=0.0.4');
    expect(await answer.text()).toContain('kawaraban_up 1');
  });
});

describe('a replica without all roles', () => {
  it.each([
    [
      'health',
      { '/healthz': 200, '/readyz': 200, '/metrics': 200, '/api/v1/timelines/global': 404, '/': 404 },
    ],
    [
      'timelines',
      { '/healthz': 200, '/metrics': 200, '/api/v1/timelines/global': 200, '/api/v1/sources': 404, '/': 404 },
    ],
  ] as const)('C24 shows only %s', async (surface, answers) => {
    const replica = await startServer({
      newsroom,
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot,
      surface,
    });
    try {
      for (const [path, status] of Object.entries(answers))
        expect((await fetch(`${replica.url}${path}`)).status, path).toBe(status);
    } finally {
      await replica[Symbol.asyncDispose]();
    }
  });

  it('X15 logs a request once, with its method and its route', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', output: { write: (line) => lines.push(line) } });
    const events = createEvents(log, silentMetrics);
    const replica = await startServer({ newsroom, host: '127.0.0.1', port: 0, log, webRoot, events });
    await fetch(`${replica.url}/healthz`);
    await replica[Symbol.asyncDispose]();
    const requests = lines.map((line) => JSON.parse(line)).filter(({ route }) => route === '/healthz');
    expect(requests).toEqual([expect.objectContaining({ message: 'Request served', method: 'GET' })]);
  });

  it('X15 C25 reports every request with its route, never with its URL', async () => {
    const served: string[] = [];
    const events = {
      requestServed: ({ protocol, route, status }: { protocol: string; route: string; status: string }) =>
        void served.push(`${protocol} ${route} ${status}`),
    };
    const replica = await startServer({
      newsroom,
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot,
      events,
    });
    try {
      await fetch(`${replica.url}/api/v1/drops/secret-in-the-address`);
      await fetch(`${replica.url}/healthz`);
      await expect.poll(() => served).toEqual(['http /api/v1/drops/:id 404', 'http /healthz 200']);
    } finally {
      await replica[Symbol.asyncDispose]();
    }
  });
});

describe('the page', () => {
  it('X13 is served at its paths under a policy without inline scripts', async () => {
    for (const path of ['/', '/pipelines', '/items?pipeline=daily', '/item?pipeline=a&key=b', '/sources']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('answers 304 for a matching ETag', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    // Not with fetch, which bypasses caches when it is given an ETag.
    const status = await new Promise((resolve) => {
      request(server.url, { headers: { 'if-none-match': etag } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end();
    });
    expect(status).toBe(304);
  });

  it('serves assets as immutable, and precompressed where the build has such a file', async () => {
    const answer = await get('/assets/main-abc.js', { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(await answer.text()).toContain('packed');
    const plain = await get('/assets/main-abc.js', { headers: { 'accept-encoding': 'identity' } });
    expect(await plain.text()).toContain('plain');
  });

  it('answers an unknown path with the page and 404, and stays inside its folder', async () => {
    const answer = await get('/nowhere', { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<title>page</title>');
    expect((await get('/assets/..%2f..%2fetc%2fpasswd')).status).toBe(404);
    expect((await get('/.env')).status).toBe(404);
  });

  it('reports that it was not built', async () => {
    const other = await seedNewsroom({ empty: true });
    const bare = await startServer({
      newsroom: other,
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot: join(webRoot, 'none'),
    });
    const answer = await fetch(bare.url);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('not been built');
    expect((await fetch(`${bare.url}/lost`, { headers: { accept: 'text/html' } })).status).toBe(404);
    await bare[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});

describe('a handler that does not answer', () => {
  it('is timed out with a Retry-After', async () => {
    const slow = await startServer({
      newsroom: { ...newsroom, judges: () => new Promise(() => {}) },
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot,
      responseTimeoutMs: 100,
    });
    const answer = await fetch(`${slow.url}/api/v1/judges`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    await slow[Symbol.asyncDispose]();
  });

  it('and input that is not HTTP gets a 400', async () => {
    const { port } = new URL(server.url);
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('BOO\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('application/problem+json');
  });
});

it('limits an IPv6 /64 as one client, and IPv4 by address', async () => {
  const replica = await startServer({
    newsroom,
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    webRoot,
    trustedProxies: ['127.0.0.1'],
    rateLimits: { perAddress: 2, perPerson: 0 },
  });
  const from = async (ip: string): Promise<number> =>
    (await fetch(`${replica.url}/api/v1/newsroom`, { headers: { 'x-forwarded-for': ip } })).status;
  try {
    expect(await from('2001:db8::1')).toBe(200);
    expect(await from('2001:db8::2')).toBe(200);
    expect(await from('2001:db8:0:0:1::3')).toBe(429);
    expect(await from('2001:db8:0:1::3')).toBe(200);
    expect(await from('192.0.2.1')).toBe(200);
    expect(await from('::ffff:192.0.2.1')).toBe(200);
    expect(await from('192.0.2.1')).toBe(429);
    expect(await from('::ffff:192.0.2.2')).toBe(200);
  } finally {
    await replica[Symbol.asyncDispose]();
  }
});

it('C22 C23 a temporarily refused EventSource gets a stream with a reconnection time; it is counted as refused', async () => {
  const served: string[] = [];
  const replica = await startServer({
    newsroom,
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    webRoot,
    rateLimits: { perAddress: 2, perPerson: 0 },
    events: { requestServed: ({ protocol, status }) => void served.push(`${protocol} ${status}`) },
  });
  const ask = (accept: string) => fetch(`${replica.url}/events/timeline/home`, { headers: { accept } });
  try {
    for (let n = 0; n < 2; n++) expect((await ask('text/event-stream')).status).toBe(401);
    expect((await ask('*/*')).status).toBe(429);
    const stream = await ask('text/event-stream');
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(await stream.text()).toMatch(/^retry: \d{4,6}\n\n: Too many requests\. .*\n\n$/);
    await expect.poll(() => served).toEqual(['http 401', 'http 401', 'http 429', 'http 429']);
  } finally {
    await replica[Symbol.asyncDispose]();
  }
});

describe('a stop', () => {
  it('C24 finishes open requests and does not wait for idle and unused connections', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<[]>();
    const replica = await startServer({
      newsroom: {
        ...newsroom,
        judges: () => {
          asked.resolve();
          return answer.promise;
        },
      },
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
      webRoot,
      // Longer than any test: a stop that waits for a connection does not end.
      shutdownTimeoutMs: 2 ** 30,
    });
    const port = Number(new URL(replica.url).port);
    const unused = connect(port, '127.0.0.1');
    await once(unused, 'connect');
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n');
    await once(idle, 'data');
    const ended = Promise.all([unused, idle].map((socket) => once(socket.resume(), 'close')));
    const request = fetch(`${replica.url}/api/v1/judges`);
    await asked.promise;
    const stopped = replica[Symbol.asyncDispose]();
    await ended;
    answer.resolve([]);
    const { status, headers } = await request;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
  });
});

describe('a listening address', () => {
  it('in use is reported in one sentence', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const start = startServer({ newsroom, host: '127.0.0.1', port, log: silentLogger, webRoot });
    await expect(start).rejects.toMatchObject({
      name: 'ServerPortError',
      port,
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    });
    await new Promise((resolve) => taken.close(resolve));
  });

  it('that this machine does not have is reported in one sentence', async () => {
    const start = startServer({ newsroom, host: '192.0.2.1', port: 0, log: silentLogger, webRoot });
    await expect(start).rejects.toMatchObject({ name: 'ServerPortError', code: 'EADDRNOTAVAIL' });
  });
});
