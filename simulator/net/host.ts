import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/time/clock.ts';
import type { Ask, Reply, Service, ServiceName } from './exchange.ts';
import { header } from './exchange.ts';
import type { FaultRules } from './fault.ts';
import { spoil } from './inject-fault.ts';
import type { Journal } from './journal.ts';
import { plainError } from './reply.ts';
import { compressed, send } from './send.ts';

const LARGEST_BODY = 64 * 1024 * 1024;

export type HostName = ServiceName | 'control';

export interface HostDependencies {
  /** The simulated world's wall time. Network delays are real. */
  readonly now: () => number;
  /** Every answer takes at least this long. */
  readonly latencyMs: number;
  readonly faults: FaultRules;
  readonly journal: Journal;
}

/** One loopback address that serves one service. */
export class Host implements AsyncDisposable {
  readonly #name: HostName;
  readonly #deps: HostDependencies;
  readonly #server: Server;
  #service: Service = { answer: () => plainError(503), errorReply: plainError };
  readonly #closing = new AbortController();

  /** Its address is known before its service is created: services write their own address into their responses. */
  constructor(name: HostName, deps: HostDependencies) {
    this.#name = name;
    this.#deps = deps;
    this.#server = createServer((request, out) => {
      out.on('error', () => out.destroy());
      this.#serve(request, out).catch((problem: unknown) => {
        if (this.#closing.signal.aborted || out.destroyed) {
          out.destroy();
          return;
        }
        deps.journal.problem(name, problem);
        send(out, this.#service.errorReply(500));
      });
    });
    this.#server.keepAliveTimeout = 15_000;
  }

  serve(service: Service): void {
    this.#service = service;
  }

  /** Port 0 means any free one. Rejects when the port is in use. */
  listen(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.removeListener('error', reject);
        resolve(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, out: ServerResponse): Promise<void> {
    const name = this.#name;
    const service = this.#service;
    const { now, faults, journal, latencyMs } = this.#deps;
    const ask = await readAsk(request, now);
    if (ask === null) return send(out, { status: 413, headers: { connection: 'close' } });
    const rule = name === 'control' ? null : faults.take(name, ask);
    const entry = journal.note(name, ask, rule?.how ?? null);
    const apply = async (): Promise<Reply> => {
      const reply = await service.answer(ask);
      entry.status = reply.status;
      const delayMs = (reply.delayMs ?? 0) + (name === 'control' ? 0 : latencyMs);
      if (delayMs > 0) await systemClock.sleep(delayMs, this.#closing.signal);
      return { ...reply, headers: { date: new Date(ask.now).toUTCString(), ...reply.headers } };
    };
    if (rule) return spoil(rule, service, apply, out, ask.now, this.#closing.signal);
    send(out, await compressed(await apply(), header(ask, 'accept-encoding')));
  }
}

async function readAsk(request: IncomingMessage, now: () => number): Promise<Ask | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > LARGEST_BODY) return null;
    pieces.push(piece as Buffer);
  }
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: request.headers,
    body: Buffer.concat(pieces),
    now: now(),
  };
}
