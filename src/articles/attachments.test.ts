import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFetcher } from '../fetch/create-fetcher.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { type AttachmentLimits, createAttachmentReader, type FetchedAttachments } from './attachments.ts';
import { IsolatedThread } from './isolated/isolated-thread.ts';
import { createPdfTextReader } from './pdf/pdf-text-reader.ts';

const english = readFileSync(new URL('testdata/pdf/english.pdf', import.meta.url));
const large = Buffer.concat([english, Buffer.alloc(100_000, ' ')]);

let server: Server;
let origin: string;
let fetcher: Fetcher;
let isolated: IsolatedThread;
let folder: string;
let asked: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const status = Number(/^\/status-(\d+)/.exec(path)?.[1] ?? 200);
    response.writeHead(status, { 'content-type': 'application/pdf' });
    if (path.startsWith('/large')) response.end(large);
    else if (path.startsWith('/page')) response.end('<html>Please sign in</html>');
    else response.end(english);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  fetcher = createFetcher({
    clock: systemClock,
    log: silentLogger,
    allow: ['127.0.0.1'],
    limits: { spacingMs: 0, breakerFailures: 100 },
  });
  isolated = new IsolatedThread({ clock: systemClock });
});
afterAll(async () => {
  await isolated[Symbol.asyncDispose]();
  await fetcher[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attachments-test-'));
  asked = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fetchAll(
  paths: readonly string[],
  limits: Partial<AttachmentLimits> = {},
  signal?: AbortSignal,
): Promise<FetchedAttachments> {
  const reader = createAttachmentReader({
    fetcher,
    texts: createPdfTextReader({ isolated }),
    limits,
    folder,
  });
  return reader.fetch(
    paths.map((path) => ({ url: path.startsWith('http') ? path : `${origin}${path}`, name: path })),
    signal,
  );
}

describe('attachments', () => {
  it('B15 are downloaded to a temporary place and removed afterwards', async () => {
    const fetched = await fetchAll(['/a.pdf', '/b.pdf']);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(fetched).toMatchObject({ skipped: [], overLimit: false, retryable: false });
    expect(fetched.documents.map(({ name, mediaType, size }) => [name, mediaType, size])).toEqual([
      ['/a.pdf', 'application/pdf', english.byteLength],
      ['/b.pdf', 'application/pdf', english.byteLength],
    ]);
    expect(Buffer.from((await fetched.documents[0]?.bytes()) ?? []).equals(english)).toBe(true);
    await fetched[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);
    await expect(fetched.documents[0]?.bytes()).rejects.toThrow();
  });

  it('B17 give their text', async () => {
    const fetched = await fetchAll(['/a.pdf']);
    expect(await fetched.documents[0]?.text()).toMatchObject({ outcome: 'text', title: 'Annual report' });
    await fetched[Symbol.asyncDispose]();
  });

  it('B15 above the maximum number are skipped without a request', async () => {
    const fetched = await fetchAll(['/a.pdf', '/b.pdf', '/c.pdf'], { count: 2 });
    expect(fetched.documents).toHaveLength(2);
    expect(fetched.skipped).toMatchObject([{ name: '/c.pdf', why: 'too_many' }]);
    expect(fetched.overLimit).toBe(true);
    expect(asked).toEqual(['/a.pdf', '/b.pdf']);
    await fetched[Symbol.asyncDispose]();
  });

  it('B15 above the maximum size are skipped, and the others are read', async () => {
    const fetched = await fetchAll(['/large.pdf', '/a.pdf'], { size: 50_000 });
    expect(fetched.documents.map(({ name }) => name)).toEqual(['/a.pdf']);
    expect(fetched.skipped).toMatchObject([{ name: '/large.pdf', why: 'too_large' }]);
    await fetched[Symbol.asyncDispose]();
  });

  it('B15 above the total size are skipped, and a smaller one after it still fits', async () => {
    const fetched = await fetchAll(['/a.pdf', '/large.pdf', '/b.pdf', '/c.pdf'], {
      size: 200_000,
      total: english.byteLength * 2,
    });
    expect(fetched.documents.map(({ name }) => name)).toEqual(['/a.pdf', '/b.pdf']);
    expect(fetched.skipped.map(({ name, why }) => [name, why])).toEqual([
      ['/large.pdf', 'too_large_in_all'],
      ['/c.pdf', 'too_large_in_all'],
    ]);
    await fetched[Symbol.asyncDispose]();
  });

  it.each([
    ['/status-404', 'not_found', false],
    ['/status-500', 'failed', true],
    ['/status-403', 'failed', false],
    ['/page.pdf', 'not_a_document', false],
    ['http://10.0.0.1/a.pdf', 'blocked', false],
    ['http://127.0.0.1:1/a.pdf', 'failed', true],
  ])('B15 %s is %s', async (path, why, retryable) => {
    const fetched = await fetchAll([path, '/a.pdf']);
    expect(fetched.skipped).toMatchObject([{ why }]);
    expect(fetched).toMatchObject({ retryable, overLimit: false });
    expect(fetched.documents).toHaveLength(1);
    await fetched[Symbol.asyncDispose]();
  });

  it('B15 no file is left behind when the caller aborts', async () => {
    const giveUp = new AbortController();
    giveUp.abort(new Error('enough'));
    await expect(fetchAll(['/a.pdf'], {}, giveUp.signal)).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual([]);
  });
});
