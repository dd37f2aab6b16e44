import { ServerError, Status } from 'nice-grpc';
import type { Events } from '../../telemetry/events.ts';
import { allowHeapGrowth, limitHeap } from '../../telemetry/heap-mode.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { inSpan, isTracing, underTrace } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import { INTERNAL_ERROR, invalidArgument, toServerError } from './messages.ts';
import { type Call, undecodableReason } from './service.ts';

export interface ObserverOptions {
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
}

/** Runs a call. Always rejects with a `ServerError`. */
export type Observe = <T>(route: string, request: unknown, call: Call, work: () => Promise<T>) => Promise<T>;

/** Counts and times every call, continues the caller's trace, and maps errors to gRPC statuses. */
export function createObserver({ clock, events, log }: ObserverOptions): Observe {
  const highLoad = new HeapLoadSwitch({ clock, log });
  return async (route, request, call, work) => {
    highLoad.recordCall();
    const began = clock.monotonic();
    let status: Status = Status.OK;
    try {
      const why = undecodableReason(request);
      if (why !== null) throw invalidArgument('request', `cannot be read (${why})`);
      return await (isTracing() ? inTrace(route, call, work) : work());
    } catch (error) {
      const known = toServerError(error, call.signal);
      if (known === null) log.error('gRPC call failed', { route, error });
      const serverError = known ?? INTERNAL_ERROR;
      status = serverError.code;
      throw new ServerError(serverError.code, serverError.details);
    } finally {
      events.requestServed({
        protocol: 'grpc',
        route,
        status: Status[status],
        ms: clock.monotonic() - began,
      });
    }
  };
}

function inTrace<T>(route: string, call: Call, work: () => Promise<T>): Promise<T> {
  const headers = { traceparent: call.header('traceparent'), tracestate: call.header('tracestate') };
  return underTrace(headers, () => inSpan('grpc.server', { 'rpc.method': route }, work));
}

/** This many calls within a second are a high load. */
const HIGH_LOAD_CALLS_PER_SECOND = 200;
/** High load ends after this time below the threshold. */
const LOW_LOAD_AFTER_MS = MINUTE;

/** Switches the heap limit. `grow` returns whether there is something to switch back. */
interface Heap {
  readonly grow: () => boolean;
  readonly keepSmall: () => void;
}

interface HeapLoadSwitchOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<Logger, 'debug'>;
}

/**
 * Lets V8's heap grow under very many calls. A small heap suits open streams; under high load V8 would spend most of its
 * time collecting garbage. Afterwards the heap is limited again.
 */
export class HeapLoadSwitch {
  readonly #clock: HeapLoadSwitchOptions['clock'];
  readonly #log: HeapLoadSwitchOptions['log'];
  readonly #heap: Heap;
  #calls = 0;
  #since = 0;
  #quiet: NodeJS.Timeout | null = null;

  constructor(
    { clock, log }: HeapLoadSwitchOptions,
    heap: Heap = { grow: allowHeapGrowth, keepSmall: limitHeap },
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#heap = heap;
  }

  recordCall(): void {
    this.#calls += 1;
    if (this.#calls < HIGH_LOAD_CALLS_PER_SECOND) return;
    const now = this.#clock.monotonic();
    if (now - this.#since < SECOND) this.#begin();
    this.#calls = 0;
    this.#since = now;
  }

  #begin(): void {
    if (this.#quiet !== null) {
      this.#quiet.refresh();
      return;
    }
    if (!this.#heap.grow()) return;
    this.#log.debug('High gRPC load: the heap may grow');
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#heap.keepSmall();
    }, LOW_LOAD_AFTER_MS).unref();
  }
}
