import { type Channel, ChannelCredentials, ClientError, createChannel, Metadata, Status } from 'nice-grpc';
import { ServiceUnavailableError } from '../../social/rules.ts';
import { type Events, silentEvents } from '../../telemetry/events.ts';
import { inSpan, traceHeaders } from '../../telemetry/tracing.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import { CircuitBreaker, jitteredBackoff } from '../../time/retry.ts';
import type { OutgoingTls } from '../../tls/certificate-watch.ts';
import { InvalidResponseError } from './responses.ts';

export interface ServiceConnectionOptions {
  /** `avion.UserService` or `avion.PostService`. */
  readonly service: string;
  /** `host:port`. */
  readonly address: string;
  /** Limit for a call, retries included. */
  readonly timeoutMs: number;
  /** `true`: TLS with the authorities of the system. */
  readonly tls?: boolean | OutgoingTls;
  /** Authenticates this program to the service. */
  readonly token?: () => string;
  readonly clock?: Clock;
  readonly events?: Events;
  readonly random?: () => number;
}

/** Call options of one attempt. */
export interface Attempt {
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
}

export interface CallResult<T> {
  readonly value: T;
  /** An earlier attempt may have taken effect and lost its reply. */
  readonly retried: boolean;
}

const MAX_ATTEMPTS = 3;
const RETRY_BACKOFF = { baseMs: 50, capMs: 500 };
const BREAKER_LIMITS = { breakerFailures: 5, breakerMs: SECOND, breakerMaxMs: 10 * SECOND };
const MAX_RESPONSE_BYTES = 64 * 1024 ** 2;
/** The methods that a service must implement (C4); all others are optional. */
const REQUIRED_METHODS: ReadonlySet<string> = new Set([
  'GetFollowingList',
  'GetFollowersList',
  'GetDropsByUserID',
]);
/** After this time an unimplemented method is retried: the service may have been upgraded. */
const UNIMPLEMENTED_TTL_MS = 10 * MINUTE;

/**
 * Connection to one remote service: a timeout on each call, retries of idempotent calls, and a circuit breaker. An optional
 * method that the service does not implement is cached as such, and does not count as a failure.
 */
export class ServiceConnection implements AsyncDisposable {
  readonly channel: Channel;
  readonly #options: ServiceConnectionOptions & { clock: Clock; events: Events; random: () => number };
  readonly #breaker: CircuitBreaker;
  /** By method: when to retry it, on the monotonic clock. */
  readonly #unimplemented = new Map<string, number>();

  constructor(options: ServiceConnectionOptions) {
    this.#options = { clock: systemClock, events: silentEvents, random: Math.random, ...options };
    this.#breaker = new CircuitBreaker(this.#options.clock, BREAKER_LIMITS, this.#options.random);
    const { tls = false } = options;
    this.channel = createChannel(options.address, credentialsFor(tls), {
      ...(typeof tls === 'object' && tls.serverName && { 'grpc.ssl_target_name_override': tls.serverName }),
      'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
      'grpc.keepalive_time_ms': 30 * SECOND,
      'grpc.keepalive_timeout_ms': 10 * SECOND,
      // Reconnect soon; the circuit breaker limits the load on a recovering service.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 2 * SECOND,
    });
  }

  /** Throws `ClientError` where the service refuses, `ServiceUnavailableError` for every other failure. */
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
    maxAttempts: number,
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
        const failure = this.#classify(error, method, signal);
        if (!(failure instanceof ServiceUnavailableError) || failure.why !== 'down' || made >= maxAttempts)
          throw failure;
        await clock.sleep(jitteredBackoff(made, RETRY_BACKOFF, random()), signal);
      }
    }
  }

  /** Classifies an error, and counts it in the breaker where the service is at fault. */
  #classify(error: unknown, method: string, signal: AbortSignal): unknown {
    const { service, clock } = this.#options;
    // `#withTimeout` tells a timeout from a cancellation by the caller.
    if (signal.aborted) return error;
    const isUnknown = error instanceof ClientError && error.code === Status.UNIMPLEMENTED;
    if (isUnknown && !REQUIRED_METHODS.has(method)) {
      this.#breaker.succeeded();
      this.#unimplemented.set(method, clock.monotonic() + UNIMPLEMENTED_TTL_MS);
      return unimplementedError(service, method, error);
    }
    const why = failureReason(error);
    if (why === null) {
      // A refusal is a response: the service is up.
      this.#breaker.succeeded();
      return error;
    }
    this.#breaker.failed();
    const detail = error instanceof ClientError ? `${Status[error.code]}: ${error.details}` : String(error);
    // Without a required method it is not the expected service, so retrying is useless.
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

function credentialsFor(tls: boolean | OutgoingTls): ChannelCredentials {
  if (tls === false) return ChannelCredentials.createInsecure();
  return tls === true
    ? ChannelCredentials.createSsl()
    : ChannelCredentials.createFromSecureContext(tls.context);
}

function unimplementedError(service: string, method: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(service, 'not_offered', `it has no ${method}`, { cause });
}

/** Why this is the service's fault; `null` where it is not. */
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
