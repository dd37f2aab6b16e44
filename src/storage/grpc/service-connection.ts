import { type Channel, ChannelCredentials, ClientError, createChannel, Metadata, Status } from 'nice-grpc';
import { ServiceUnavailableError } from '../../social/rules.ts';
import { type Events, silentEvents } from '../../telemetry/events.ts';
import { inSpan, traceHeaders } from '../../telemetry/tracing.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import { CircuitBreaker, jitteredBackoff } from '../../time/retry.ts';
import { InvalidResponseError } from './responses.ts';

export interface ServiceConnectionOptions {
  /** `avion.UserService` or `avion.PostService`. */
  readonly service: string;
  /** `host:port`. */
  readonly address: string;
  /** Longest time for an answer, further attempts included. */
  readonly timeoutMs: number;
  readonly tls?: boolean;
  /** Proves to the service that we are one too. */
  readonly token?: () => string;
  readonly clock?: Clock;
  readonly events?: Events;
  readonly random?: () => number;
}

/** What an attempt is made with. */
export interface Attempt {
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
}

export interface CallResult<T> {
  readonly value: T;
  /** There was an attempt before this one, which may have done its work and lost its reply. */
  readonly retried: boolean;
}

const MAX_ATTEMPTS = 3;
const RETRY_BACKOFF = { baseMs: 50, capMs: 500 };
const BREAKER_LIMITS = { breakerFailures: 5, breakerMs: SECOND, breakerMaxMs: 10 * SECOND };
const MAX_RESPONSE_BYTES = 64 * 1024 ** 2;
/** The calls that a service must have (C4). A service that has others offers more. */
const REQUIRED_METHODS: ReadonlySet<string> = new Set([
  'GetFollowingList',
  'GetFollowersList',
  'GetDropsByUserID',
]);
/** After this time a call that the service did not have is tried again: it may have been upgraded. */
const UNIMPLEMENTED_TTL_MS = 10 * MINUTE;

/**
 * The way to one remote service: a time limit on each call, further attempts where they do no harm, and a breaker. A call that the
 * service need not have and does not have is remembered, and says nothing about the health of the service.
 */
export class ServiceConnection implements AsyncDisposable {
  readonly channel: Channel;
  readonly #options: ServiceConnectionOptions & { clock: Clock; events: Events; random: () => number };
  readonly #breaker: CircuitBreaker;
  /** By method: until when it is not tried, on the monotonic clock. */
  readonly #unimplemented = new Map<string, number>();

  constructor(options: ServiceConnectionOptions) {
    this.#options = { clock: systemClock, events: silentEvents, random: Math.random, ...options };
    this.#breaker = new CircuitBreaker(this.#options.clock, BREAKER_LIMITS, this.#options.random);
    const credentials = options.tls ? ChannelCredentials.createSsl() : ChannelCredentials.createInsecure();
    this.channel = createChannel(options.address, credentials, {
      'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
      'grpc.keepalive_time_ms': 30 * SECOND,
      'grpc.keepalive_timeout_ms': 10 * SECOND,
      // A service that is back is found again soon; the breaker sees to it that it is not stormed.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 2 * SECOND,
    });
  }

  /** Refusals of the service itself come as `ClientError`; everything else that goes wrong as `ServiceUnavailableError`. */
  async call<T>(
    method: string,
    repeatable: boolean,
    ask: (attempt: Attempt) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<CallResult<T>> {
    const { service, clock, events } = this.#options;
    const began = clock.monotonic();
    if ((this.#unimplemented.get(method) ?? 0) > began) throw unimplementedError(service, method);
    let attempts = 0;
    let outcome = 'ok';
    try {
      return await inSpan('grpc.client', { 'rpc.method': `${service}/${method}` }, () =>
        this.#withTimeout(signal, (within) =>
          this.#retry(method, repeatable ? MAX_ATTEMPTS : 1, within, () => {
            attempts += 1;
            return ask({ metadata: this.#metadata(), signal: within });
          }),
        ),
      );
    } catch (error) {
      if (error instanceof ServiceUnavailableError) outcome = error.why;
      else outcome = signal?.aborted ? 'cancelled' : 'refused';
      throw error;
    } finally {
      events.serviceCalled({ service, method, outcome, attempts, ms: clock.monotonic() - began });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.channel.close();
  }

  async #retry<T>(
    method: string,
    most: number,
    signal: AbortSignal,
    attempt: () => Promise<T>,
  ): Promise<CallResult<T>> {
    const { clock, random } = this.#options;
    for (let made = 1; ; made++) {
      this.#checkBreaker();
      try {
        const value = await attempt();
        this.#breaker.succeeded();
        return { value, retried: made > 1 };
      } catch (error) {
        const trouble = this.#classify(error, method, signal);
        if (!(trouble instanceof ServiceUnavailableError) || trouble.why !== 'down' || made >= most)
          throw trouble;
        await clock.sleep(jitteredBackoff(made, RETRY_BACKOFF, random()), signal);
      }
    }
  }

  /** Takes an error apart, and counts it where the service is to blame. */
  #classify(error: unknown, method: string, signal: AbortSignal): unknown {
    const { service, clock } = this.#options;
    // Whose patience ended is known further out.
    if (signal.aborted) return error;
    const isUnknown = error instanceof ClientError && error.code === Status.UNIMPLEMENTED;
    if (isUnknown && !REQUIRED_METHODS.has(method)) {
      this.#breaker.succeeded();
      this.#unimplemented.set(method, clock.monotonic() + UNIMPLEMENTED_TTL_MS);
      return unimplementedError(service, method, error);
    }
    const why = failureReason(error);
    if (why === null) {
      // A refusal is an answer: the service is there.
      this.#breaker.succeeded();
      return error;
    }
    this.#breaker.failed();
    const detail = error instanceof ClientError ? `${Status[error.code]}: ${error.details}` : String(error);
    // A program without a required call is another program.
    const passes = why !== 'refused' && !isUnknown;
    return new ServiceUnavailableError(service, why, detail, { cause: error, passes });
  }

  #checkBreaker(): void {
    const { service, clock } = this.#options;
    const admission = this.#breaker.admit();
    if (!admission.admitted) {
      const seconds = Math.max(1, Math.ceil((admission.until - clock.monotonic()) / SECOND));
      throw new ServiceUnavailableError(service, 'resting', `the next attempt is made in ${seconds} s`);
    }
  }

  async #withTimeout<T>(
    signal: AbortSignal | undefined,
    work: (within: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { service, timeoutMs, clock } = this.#options;
    signal?.throwIfAborted();
    const late = new AbortController();
    const done = new AbortController();
    clock.sleep(timeoutMs, done.signal).then(
      () => late.abort(),
      () => {},
    );
    const within = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      return await work(within);
    } catch (error) {
      if (error instanceof ServiceUnavailableError) throw error;
      if (!late.signal.aborted) {
        if (signal?.aborted) this.#breaker.abandoned();
        throw error;
      }
      this.#breaker.failed();
      throw new ServiceUnavailableError(service, 'slow', `no answer within ${timeoutMs} ms`);
    } finally {
      done.abort();
    }
  }

  #metadata(): Metadata {
    const metadata = Metadata(traceHeaders());
    const token = this.#options.token?.();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    return metadata;
  }
}

function unimplementedError(service: string, method: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(service, 'not_offered', `it has no ${method}`, { cause });
}

/** Why the service is to blame for this; `null` where it is not. */
function failureReason(error: unknown): ServiceUnavailableError['why'] | null {
  if (error instanceof InvalidResponseError) return 'garbage';
  if (!(error instanceof ClientError)) return null;
  switch (error.code) {
    case Status.UNAVAILABLE:
    case Status.CANCELLED:
      return 'down';
    case Status.DEADLINE_EXCEEDED:
      return 'slow';
    case Status.UNAUTHENTICATED:
    case Status.PERMISSION_DENIED:
      return 'refused';
    case Status.INTERNAL:
    case Status.UNKNOWN:
    case Status.UNIMPLEMENTED:
    case Status.DATA_LOSS:
    case Status.RESOURCE_EXHAUSTED:
      return 'garbage';
    default:
      return null;
  }
}
