import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';

export interface Load {
  readonly calls: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly address: string;
  readonly path: string;
  /** One for each concurrent caller, in rotation where there are fewer. */
  readonly tokens: readonly string[];
  /** The request as a message. */
  readonly message: Uint8Array;
  /** How long the answer's message must be; anything else is a failure. */
  readonly atLeastBytes: number;
  readonly atOnce: number;
  readonly forMs: number;
}

/** Calls a unary method again and again, so many at once, over one connection, with as little work here as possible. */
export async function load(options: LoadOptions): Promise<Load> {
  const session = connect(`http://${options.address}`);
  session.on('error', () => {});
  await once(session, 'connect');
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, options.message.length]), options.message]);
  const times: number[] = [];
  const end = performance.now() + options.forMs;
  const began = performance.now();
  const worker = async (token: string): Promise<void> => {
    while (performance.now() < end) {
      const asked = performance.now();
      await call(session, frame, token, options);
      times.push(performance.now() - asked);
    }
  };
  const { tokens, atOnce } = options;
  await Promise.all(Array.from({ length: atOnce }, (_, n) => worker(tokens[n % tokens.length] ?? '')));
  const seconds = (performance.now() - began) / 1000;
  session.close();
  times.sort((a, b) => a - b);
  return {
    calls: times.length,
    perSecond: times.length / seconds,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
  };
}

function call(
  session: ClientHttp2Session,
  frame: Buffer,
  token: string,
  options: LoadOptions,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = session.request({
    ':method': 'POST',
    ':path': options.path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    authorization: `Bearer ${token}`,
  });
  let bytes = 0;
  let status = '';
  let message = '';
  // A call that is refused has its status in the headers.
  for (const event of ['response', 'trailers'])
    request.on(event, (headers: IncomingHttpHeaders) => {
      if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
      if (headers['grpc-message'] !== undefined) message = String(headers['grpc-message']);
    });
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('error', reject);
  request.on('end', () => {
    if (status === '0' && bytes >= options.atLeastBytes) resolve();
    else reject(new Error(`the call ended with status ${status} ${message} and ${bytes} bytes`));
  });
  request.end(frame);
  return promise;
}
