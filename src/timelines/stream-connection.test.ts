import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStreamLog } from '../storage/memory/stream-log.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { StreamHub } from './stream-hub.ts';
import { reconnectField } from './streams.ts';

/** A client that writes the request by hand, and keeps its side of the connection open. */
class RawClient {
  text = '';
  ended = false;
  readonly socket: Socket;

  constructor(port: number, request: string) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
    });
    this.socket.on('end', () => {
      this.ended = true;
    });
    this.socket.on('error', () => {});
    this.socket.write(request);
  }

  async hears(words: string): Promise<void> {
    await expect.poll(() => this.text).toContain(words);
  }
}

describe('the connection of an open stream', () => {
  let clock: ManualClock;
  let streams: MemoryStreamLog;
  let hub: StreamHub;
  let http: Server;
  let port: number;
  let connections: (Socket & { parser?: unknown; _httpMessage?: unknown })[];
  const clients: RawClient[] = [];

  beforeEach(async () => {
    clock = new ManualClock();
    streams = new MemoryStreamLog({ clock, maxEvents: 50 });
    const page = { entries: [], older: null, newer: '0_' };
    const reader = { page: async () => ({ ok: true as const, page }) };
    hub = new StreamHub({ clock, log: silentLogger, events: silentEvents, streams, reader });
    connections = [];
    http = createServer((request, response) => {
      void hub.connect({ timeline: 'timeline:local', reader: request.url ?? '' }, response);
    });
    http.on('connection', (socket: Socket) => void connections.push(socket));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    port = (http.address() as AddressInfo).port;
  });

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await hub[Symbol.asyncDispose]();
    await streams[Symbol.asyncDispose]();
    http.close();
  });

  async function open(version = '1.1', rest = ''): Promise<RawClient> {
    const client = new RawClient(port, `GET /ann HTTP/${version}\r\nHost: here\r\n\r\n${rest}`);
    clients.push(client);
    await client.hears('\nid: ');
    return client;
  }

  const announce = (id: string) => streams.announce([{ id, createdAt: 1 }], ['timeline:local']);

  it('C20 the body is not chunked, and ends with the connection', async () => {
    const client = await open();
    await announce('d1');
    await client.hears('"d1"');
    const [head = '', body = ''] = client.text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain('\r\nconnection: close');
    expect(head.toLowerCase()).not.toMatch(/transfer-encoding|content-length|keep-alive/);
    expect(body).toMatch(/^retry: \d+\n\nid: \S+\n\nevent: new_drop\nid: \S+\ndata: \{"drop_id":"d1"\}\n\n$/);
  });

  it('C20 a client of HTTP/1.0 reads the same', async () => {
    const client = await open('1.0');
    await announce('d1');
    await client.hears('"d1"');
    expect(client.text.toLowerCase()).not.toContain('transfer-encoding');
  });

  it("C24 Node's request, response and parser are released while the stream is open", async () => {
    await open();
    const [connection] = connections;
    await expect.poll(() => connection?.parser).toBeNull();
    expect(connection?._httpMessage).toBeNull();
    expect(hub.openCount).toBe(1);
    expect(connection?.destroyed).toBe(false);
  });

  it('C20 what a client sends after its request is discarded', async () => {
    const client = await open();
    for (let n = 1; n <= 3; n++) {
      client.socket.write(
        `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
      );
      await announce(`d${n}`);
      await client.hears(`"d${n}"`);
    }
    expect(client.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(hub.openCount).toBe(1);
  });

  it('C23 a client that ends its side or resets the connection frees its slot', async () => {
    const [ending, resetting] = [await open(), await open()];
    expect(hub.openCount).toBe(2);
    ending.socket.end();
    await expect.poll(() => hub.openCount).toBe(1);
    resetting.socket.resetAndDestroy();
    await expect.poll(() => hub.openCount).toBe(0);
  });

  it('C24 a stop closes the connections of clients that leave theirs open', async () => {
    const client = await open();
    await hub.drain();
    http.close();
    await once(http, 'close');
    await expect.poll(() => client.ended).toBe(true);
    expect(client.text.match(/retry: /g)).toHaveLength(2);
    expect(client.socket.writable).toBe(true);
  });

  it('C23 a request sent together with that for a stream ends the connection, and no other', async () => {
    const other = await open();
    const client = new RawClient(
      port,
      'GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n',
    );
    clients.push(client);
    await expect.poll(() => client.ended).toBe(true);
    await expect.poll(() => hub.openCount).toBe(1);
    await announce('d1');
    await other.hears('"d1"');
  });
});

it('C23 the time to reconnect has jitter, from once to twice the base', () => {
  const wait = (random: number): string => reconnectField(2_000, () => random);
  expect([wait(0), wait(0.5), wait(0.999)]).toEqual([
    'retry: 2000\n\n',
    'retry: 3000\n\n',
    'retry: 3998\n\n',
  ]);
});
