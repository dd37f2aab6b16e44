import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { FetchOutcome } from './fetcher.ts';
import { answer, type RawAnswer } from './raw-server.fixture.ts';

export interface HostileResponse {
  readonly name: string;
  /** By path; the first request is for `/`. */
  readonly serves: Readonly<Record<string, RawAnswer>> | RawAnswer;
  readonly expected: Partial<FetchOutcome>;
  /** The expected body, if any. */
  readonly body?: string;
}

export const MAX_BYTES = 100_000;

const TEXT = 'The library stays open until nine. '.repeat(20);
const zeros = Buffer.alloc(5_000_000);
const fine = { outcome: 'response', status: 200 } as const;
const failed = (why: Extract<FetchOutcome, { outcome: 'failed' }>['why']) =>
  ({ outcome: 'failed', why }) as const;
const encoded = (encoding: string, body: Uint8Array): Uint8Array =>
  answer(200, { 'content-encoding': encoding }, body);
const sendsTo = (location: string, status = 302): Uint8Array => answer(status, { location });

/** Answers of broken or hostile servers, each with the expected outcome. */
export const hostileResponses: readonly HostileResponse[] = [
  // Compression.
  { name: 'gzip', serves: encoded('gzip', gzipSync(TEXT)), expected: fine, body: TEXT },
  { name: 'x-gzip in capitals', serves: encoded('X-GZIP', gzipSync(TEXT)), expected: fine, body: TEXT },
  { name: 'deflate by the book', serves: encoded('deflate', deflateSync(TEXT)), expected: fine, body: TEXT },
  { name: 'raw deflate', serves: encoded('deflate', deflateRawSync(TEXT)), expected: fine, body: TEXT },
  { name: 'brotli', serves: encoded('br', brotliCompressSync(TEXT)), expected: fine, body: TEXT },
  { name: 'zstd', serves: encoded('zstd', zstdCompressSync(TEXT)), expected: fine, body: TEXT },
  {
    name: 'two layers',
    serves: encoded('gzip, br', brotliCompressSync(gzipSync(TEXT))),
    expected: fine,
    body: TEXT,
  },
  { name: 'identity', serves: encoded('identity', Buffer.from(TEXT)), expected: fine, body: TEXT },
  { name: 'gzip bomb', serves: encoded('gzip', gzipSync(zeros)), expected: failed('too_large') },
  { name: 'deflate bomb', serves: encoded('deflate', deflateSync(zeros)), expected: failed('too_large') },
  { name: 'brotli bomb', serves: encoded('br', brotliCompressSync(zeros)), expected: failed('too_large') },
  { name: 'zstd bomb', serves: encoded('zstd', zstdCompressSync(zeros)), expected: failed('too_large') },
  {
    name: 'bomb in a bomb',
    serves: encoded('gzip, gzip', gzipSync(gzipSync(zeros))),
    expected: failed('too_large'),
  },
  {
    name: 'three layers',
    serves: encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(TEXT)))),
    expected: failed('bad_encoding'),
  },
  { name: 'gzip that is none', serves: encoded('gzip', Buffer.from(TEXT)), expected: failed('bad_encoding') },
  { name: 'brotli that is none', serves: encoded('br', Buffer.from(TEXT)), expected: failed('bad_encoding') },
  { name: 'zstd that is none', serves: encoded('zstd', Buffer.from(TEXT)), expected: failed('bad_encoding') },
  {
    name: 'an unknown content coding',
    serves: encoded('compress', Buffer.from(TEXT)),
    expected: failed('bad_encoding'),
  },
  {
    name: 'a coding named like a method',
    serves: encoded('constructor', Buffer.from(TEXT)),
    expected: failed('bad_encoding'),
  },
  { name: 'gzip, empty', serves: encoded('gzip', Buffer.alloc(0)), expected: fine, body: '' },
  // Sizes.
  {
    name: 'a length beyond the limit',
    serves: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${MAX_BYTES + 1}\r\n\r\n`),
    expected: failed('too_large'),
  },
  {
    name: 'chunks without end',
    serves: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = (): void => {
        if (!socket.destroyed) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`, () => setImmediate(more));
      };
      more();
    },
    expected: failed('too_large'),
  },
  {
    name: 'one endless header',
    serves: answer(200, { 'x-long': 'x'.repeat(100_000) }),
    expected: failed('too_large'),
  },
  {
    name: 'headers by the thousand',
    serves: answer(200, Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x-${i}`, 'value']))),
    expected: failed('too_large'),
  },
  // Things that are not quite HTTP.
  { name: 'noise', serves: Buffer.from([1, 2, 3, 255, 254, 0, 10, 13]), expected: failed('reset') },
  { name: 'a greeting of SSH', serves: 'SSH-2.0-OpenSSH_9.6\r\n', expected: failed('reset') },
  { name: 'nothing at all', serves: '', expected: failed('reset') },
  { name: 'a page without a head', serves: '<html>hello</html>', expected: failed('reset') },
  { name: 'a head cut off', serves: 'HTTP/1.1 200 OK\r\ncontent-ty', expected: failed('reset') },
  {
    name: 'a body cut off',
    serves: 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort',
    expected: failed('reset'),
  },
  {
    name: 'a negative length',
    serves: 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello',
    expected: failed('reset'),
  },
  {
    name: 'two lengths',
    serves: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!',
    expected: failed('reset'),
  },
  {
    name: 'length and chunks',
    serves:
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    expected: failed('reset'),
  },
  {
    name: 'a chunk of no size',
    serves: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\nhello\r\n',
    expected: failed('reset'),
  },
  {
    name: 'a header with a zero byte',
    serves: 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n',
    expected: failed('reset'),
  },
  { name: 'a status of two digits', serves: 'HTTP/1.1 20 OK\r\n\r\n', expected: failed('reset') },
  {
    name: 'early hints before the answer',
    serves: `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${Buffer.from(answer(200, {}, 'hello')).toString()}`,
    expected: fine,
    body: 'hello',
  },
  { name: 'no length, then the end', serves: 'HTTP/1.1 200 OK\r\n\r\nhello', expected: fine, body: 'hello' },
  { name: 'an old version', serves: 'HTTP/1.0 200 OK\r\n\r\nhello', expected: fine, body: 'hello' },
  {
    name: 'an unknown status',
    serves: answer(599, {}, 'x'),
    expected: { outcome: 'response', status: 599 },
  },
  {
    name: 'not modified',
    serves: answer(304, { etag: '"1"' }),
    expected: { outcome: 'response', status: 304 },
    body: '',
  },
];

/** Redirects to blocked addresses, or that lead nowhere, each with the outcome it must have. */
export const hostileRedirects: readonly HostileResponse[] = [
  {
    name: 'to the metadata service',
    serves: sendsTo('http://169.254.169.254/latest/'),
    expected: failed('blocked_address'),
  },
  {
    name: 'to a private address',
    serves: sendsTo('http://10.0.0.1/', 301),
    expected: failed('blocked_address'),
  },
  { name: 'to a number', serves: sendsTo('http://167772161/', 307), expected: failed('blocked_address') },
  {
    name: 'to a mapped address',
    serves: sendsTo('http://[::ffff:a00:1]/', 308),
    expected: failed('blocked_address'),
  },
  {
    name: 'to a private address without scheme',
    serves: sendsTo('//10.0.0.1/x'),
    expected: failed('blocked_address'),
  },
  {
    name: 'to a name that leads inside',
    serves: sendsTo('http://inside.example/'),
    expected: failed('blocked_address'),
  },
  { name: 'to a mail server', serves: sendsTo('http://8.8.8.8:25/'), expected: failed('blocked_address') },
  { name: 'to a file', serves: sendsTo('file:///etc/passwd'), expected: failed('bad_address') },
  { name: 'to a script', serves: sendsTo('javascript:alert(1)'), expected: failed('bad_address') },
  { name: 'to credentials', serves: sendsTo('http://a:b@127.0.0.1/'), expected: failed('bad_address') },
  { name: 'to nonsense', serves: sendsTo('http://[oops/'), expected: failed('bad_address') },
  { name: 'to itself', serves: sendsTo('/'), expected: failed('too_many_redirects') },
  {
    name: 'in a circle of three',
    serves: { '/': sendsTo('/a'), '/a': sendsTo('/b'), '/b': sendsTo('/#again') },
    expected: failed('too_many_redirects'),
  },
  {
    name: 'ever onwards',
    serves: (socket, head) => {
      const at = Number(/\/(\d*)/.exec(head)?.[1] ?? 0);
      socket.end(sendsTo(`/${at + 1}`));
    },
    expected: failed('too_many_redirects'),
  },
  { name: 'to nowhere', serves: answer(302, {}, 'x'), expected: { outcome: 'response', status: 302 } },
  {
    name: 'to an empty place',
    serves: answer(301, { location: ' ' }),
    expected: { outcome: 'response', status: 301 },
  },
  {
    name: 'with 300',
    serves: answer(300, { location: '/a' }),
    expected: { outcome: 'response', status: 300 },
  },
  {
    name: 'to a path in raw UTF-8',
    serves: { '/': sendsTo('/図書館'), '/%E5%9B%B3%E6%9B%B8%E9%A4%A8': answer(200, {}, 'found') },
    expected: fine,
    body: 'found',
  },
  {
    name: 'in five hops',
    serves: {
      '/': sendsTo('1', 301),
      '/1': sendsTo('/2', 308),
      '/2': sendsTo('?q=3', 301),
      '/2?q=3': sendsTo('/4', 301),
      '/4': sendsTo('/5', 301),
      '/5': answer(200, {}, 'there'),
    },
    expected: fine,
    body: 'there',
  },
];
