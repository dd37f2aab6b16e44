import type * as Grpc from '@grpc/grpc-js';
import { STATUS_NAMES, type StatusName } from './errors.ts';

/**
 * Firestore's SDK retries by itself in six places (calls, streams, documents, queries, commits, transactions), for up to ten
 * minutes, which conflicts with the policy of A16. Each of them decides by the status code alone, so every error is mapped
 * to a code that none of them retries, with the real one at the start of its message.
 */
const NON_RETRYABLE_CODE = 15;
const REAL_CODE_PATTERN = /\[status (\d{1,2})\] /;

/** Calls in flight, so that they can be cancelled: the SDK waits for an answer, and for its calls when it is closed. */
export class OpenCalls {
  readonly #open = new Map<CancellableCall, 'call' | 'listener'>();
  #isOver = false;

  add(call: CancellableCall, kind: 'call' | 'listener' = 'call'): void {
    this.#open.set(call, kind);
    if (this.#isOver) this.cancelAll();
  }

  delete(call: CancellableCall): void {
    this.#open.delete(call);
  }

  /** Also cancels calls that begin later. */
  cancelAll(): void {
    this.#isOver = true;
    for (const call of this.#open.keys()) call.cancelWithStatus(CANCELLED, 'the program stops');
  }

  /** Unsubscribing only half-closes a stream, and the server may leave it open for long. */
  cancelListeners(): void {
    for (const [call, kind] of this.#open)
      if (kind === 'listener') call.cancelWithStatus(CANCELLED, 'the listener ended');
  }
}

type CancellableCall = Pick<Grpc.InterceptingCall, 'cancelWithStatus'>;

const LISTEN_METHOD = '/google.firestore.v1.Firestore/Listen';

const CANCELLED = 1;

/** SDK settings that disable its own retries. */
export function withoutSdkRetries(grpc: typeof Grpc, calls: OpenCalls): Record<string, unknown> {
  const interceptor: Grpc.Interceptor = (options, nextCall) => {
    const call = nextCall(options);
    return new grpc.InterceptingCall(call, {
      start: (metadata, _listener, next) => {
        next(metadata, {
          onReceiveStatus: (status, pass) => {
            calls.delete(call);
            pass(maskedStatus(status));
          },
        });
        calls.add(call, options.method_definition.path === LISTEN_METHOD ? 'listener' : 'call');
      },
    });
  };
  const withInterceptor = (call: { callOptions: Grpc.CallOptions }): unknown => {
    call.callOptions = {
      ...call.callOptions,
      interceptors: [...(call.callOptions.interceptors ?? []), interceptor],
    };
    return call;
  };
  return {
    'grpc.callInvocationTransformer': withInterceptor,
    'grpc.enable_retries': 0,
    // Otherwise a stream that ends before its first answer is opened twice more, whatever the code.
    gaxServerStreamingRetries: true,
  };
}

function maskedStatus(status: Grpc.StatusObject): Grpc.StatusObject {
  if (status.code === 0) return status;
  return { ...status, code: NON_RETRYABLE_CODE, details: `[status ${status.code}] ${status.details}` };
}

/** Firestore's real status; `null` when the error is not an answer of Firestore. */
export function statusOf(error: unknown): StatusName | null {
  if (!(error instanceof Error)) return null;
  const real = REAL_CODE_PATTERN.exec(error.message);
  if (real !== null) return STATUS_NAMES[Number(real[1])] ?? 'UNKNOWN';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? (STATUS_NAMES[code] ?? null) : null;
}
