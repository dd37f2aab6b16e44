import { createServer, type Server, type Socket } from 'node:net';

/** What the server does with the socket once it has read the head of a request. */
export type RawAnswer = string | Uint8Array | ((socket: Socket, head: string) => void);

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** Heads of the requests that arrived. */
  readonly heads: string[];
  readonly connections: number;
  /** Resolves when so many requests have arrived in all. */
  arrived(count: number): Promise<void>;
}

/**
 * A server for tests that answers with configured bytes, by path, whether they are HTTP or not. A plain answer
 * ends the connection.
 */
export async function rawServer(
  answerFor: (path: string, head: string) => RawAnswer,
  host = '127.0.0.1',
): Promise<RawServer> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: { readonly count: number; readonly wake: () => void }[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.slice(0, end);
      received = '';
      heads.push(head);
      for (const { count, wake } of waiting) if (heads.length >= count) wake();
      const answer = answerFor(head.split(' ')[1] ?? '', head);
      if (typeof answer === 'function') answer(socket, head);
      else socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    origin: `http://${host}:${port}`,
    heads,
    get connections() {
      return connections;
    },
    arrived: (count) =>
      heads.length >= count ? Promise.resolve() : new Promise((wake) => waiting.push({ count, wake })),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** An ordinary answer. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = '',
): Uint8Array {
  const bytes = Buffer.from(body);
  const lines = Object.entries({
    'content-length': String(bytes.byteLength),
    connection: 'close',
    ...headers,
  });
  const head = `HTTP/1.1 ${status} Said\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}
