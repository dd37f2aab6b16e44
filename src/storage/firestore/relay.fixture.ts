import * as grpc from '@grpc/grpc-js';
import { STATUS_NAMES, type StatusName } from './errors.ts';

const UNARY = ['Commit', 'Rollback', 'BeginTransaction'] as const;
const STREAMED = ['BatchGetDocuments', 'RunQuery', 'RunAggregationQuery'] as const;
type Method = (typeof UNARY)[number] | (typeof STREAMED)[number];

/**
 * A proxy between a client and Firestore. It loses replies on request (the call is applied, the answer is UNAVAILABLE), or
 * answers every call with one code itself.
 */
export class FirestoreRelay implements AsyncDisposable {
  readonly #server = new grpc.Server();
  readonly #upstream: grpc.Client;
  #lose: string | null = null;
  #abort: string | null = null;
  #refuse: { readonly code: number; readonly details: string } | null = null;
  #silent = false;
  #refuseAfter: { readonly method: Method; calls: number; readonly code: StatusName } | null = null;
  /** Calls by method. */
  readonly calls = new Map<string, number>();
  address = '';

  constructor(upstream: string) {
    this.#upstream = new grpc.Client(upstream, grpc.credentials.createInsecure());
    const unary =
      (name: string) => (call: grpc.ServerUnaryCall<Buffer, Buffer>, answer: grpc.sendUnaryData<Buffer>) => {
        this.#count(name);
        if (this.#silent) return;
        if (this.#refuse !== null) {
          answer(this.#refuse);
          return;
        }
        if (this.#abort === name) {
          this.#abort = null;
          answer({ code: STATUS_NAMES.indexOf('ABORTED'), details: 'too much contention' });
          return;
        }
        this.#upstream.makeUnaryRequest(
          pathOf(name),
          identity,
          identity,
          call.request,
          call.metadata,
          (error, value) =>
            this.#lost(name) ? answer({ code: 14, details: 'the reply was lost' }) : answer(error, value),
        );
      };
    const streamed = (name: string) => (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
      this.#count(name);
      if (this.#silent) return;
      if (this.#refuse !== null) {
        call.emit('error', this.#refuse);
        return;
      }
      const source = this.#upstream.makeServerStreamRequest(
        pathOf(name),
        identity,
        identity,
        call.request,
        call.metadata,
      );
      const lost = this.#lost(name);
      source.on('data', (value: Buffer) => {
        if (!lost) call.write(value);
      });
      source.on('error', (error) => call.emit('error', error));
      source.on('end', () =>
        lost ? call.emit('error', { code: 14, details: 'the reply was lost' }) : call.end(),
      );
    };
    this.#server.addService(serviceOf(), {
      ...Object.fromEntries(UNARY.map((name) => [name, unary(name)])),
      ...Object.fromEntries(STREAMED.map((name) => [name, streamed(name)])),
    });
  }

  async start(): Promise<this> {
    const port = await new Promise<number>((resolve, reject) =>
      this.#server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    this.address = `127.0.0.1:${port}`;
    return this;
  }

  /** The next call of this method loses its reply. */
  loseNext(method: Method): void {
    this.#lose = method;
  }

  /** The next call of this method is aborted: nothing is applied. */
  abortNext(method: (typeof UNARY)[number]): void {
    this.#abort = method;
  }

  /** Whether a planned abort has not happened yet. */
  get isAborting(): boolean {
    return this.#abort !== null;
  }

  /** The same, after this method was called this many more times. */
  refuseAfter(method: Method, calls: number, code: StatusName): void {
    this.#refuseAfter = { method, calls, code };
  }

  /** Answers every call with this code and forwards none; `null` forwards them again. */
  refuseAll(code: StatusName | null): void {
    this.#refuse = code === null ? null : { code: STATUS_NAMES.indexOf(code), details: 'as the test says' };
  }

  /** Leaves every call unanswered. */
  fallSilent(): void {
    this.#silent = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    this.#upstream.close();
  }

  #count(name: string): void {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    const planned = this.#refuseAfter;
    if (planned?.method !== name) return;
    if (planned.calls > 0) planned.calls -= 1;
    else this.refuseAll(planned.code);
  }

  #lost(name: string): boolean {
    if (this.#lose !== name) return false;
    this.#lose = null;
    return true;
  }
}

function pathOf(name: string): string {
  return `/google.firestore.v1.Firestore/${name}`;
}

function identity(bytes: Buffer): Buffer {
  return bytes;
}

/** Firestore's methods as plain bytes. */
export function serviceOf(): grpc.ServiceDefinition {
  const method = (name: string, responseStream: boolean): grpc.MethodDefinition<Buffer, Buffer> => ({
    path: pathOf(name),
    requestStream: false,
    responseStream,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  });
  return Object.fromEntries([
    ...UNARY.map((name) => [name, method(name, false)] as const),
    ...STREAMED.map((name) => [name, method(name, true)] as const),
  ]);
}
