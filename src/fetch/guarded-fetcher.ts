/// <reference path="./undici-parts.d.ts" />
import { isIP } from 'node:net';
import pLimit from 'p-limit';
import type { Agent } from 'undici';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { AddressPolicy, bareHost, checkTarget } from './address-policy.ts';
import { Connectivity } from './connectivity.ts';
import type { FetcherOptions, FetchLimits } from './create-fetcher.ts';
import { decompress, type Exchanged, exchange, guardedConnector, systemResolve } from './exchange.ts';
import { classifyError } from './fetch-failure.ts';
import type { FetchErrorKind, Fetcher, FetchOutcome, FetchRequest } from './fetcher.ts';
import { HostThrottle } from './host-traffic.ts';
import { headersFor, nextHop, retryAfter, userAgent } from './http-headers.ts';
import { redactUrl } from './redact-url.ts';
import { Deadlines, TimeBudget } from './time-budget.ts';

type Failed = Extract<FetchOutcome, { outcome: 'failed' }>;
type Answered = Extract<Exchanged, { ok: true }>;

/** One hop of a request that began at `start` and is now at `url`. */
interface Hop {
  readonly request: FetchRequest;
  readonly method: string;
  readonly url: URL;
  readonly start: URL;
  readonly budget: TimeBudget;
  /** A redirect within the host that answered last. */
  readonly isRedirect: boolean;
}

/** Time for which a host is suspended after a 429 without `Retry-After`. */
const DEFAULT_RATE_LIMIT_WAIT_MS = MINUTE;

export class GuardedFetcher implements Fetcher {
  readonly #policy: AddressPolicy;
  readonly #openAgent: () => Promise<Agent>;
  #agent: Promise<Agent> | null = null;
  readonly #traffic: HostThrottle;
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #connectivity: Connectivity;
  readonly #limits: FetchLimits;
  readonly #deadlines: Deadlines;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #userAgent: string;

  constructor(options: FetcherOptions & { readonly limits: FetchLimits }) {
    const { clock, limits } = options;
    const resolve = options.resolve ?? systemResolve;
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock);
    this.#limits = limits;
    this.#log = options.log;
    this.#userAgent = userAgent(options.contact ?? null);
    this.#policy = new AddressPolicy(options.allow ?? []);
    this.#traffic = new HostThrottle(clock, limits, options.random ?? Math.random);
    this.#slots = pLimit(limits.concurrency);
    this.#connectivity = new Connectivity(clock, resolve, options.hasInterface);
    this.#openAgent = async () => {
      // Loading them takes time, and many commands send no request.
      const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
      const { default: buildConnector } = await import('undici/lib/core/connect.js');
      return new Agent({
        connect: guardedConnector(buildConnector, this.#policy, resolve, limits.connectMs),
        maxHeaderSize: limits.maxHeaderBytes,
        allowH2: false,
        keepAliveMaxTimeout: MINUTE,
      });
    };
  }

  async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const target = checkTarget(request.url, this.#policy);
    if (!target.ok) return failed(target.why, target.detail);
    const budget = new TimeBudget(
      this.#clock,
      this.#deadlines,
      request.timeoutMs ?? this.#limits.totalMs,
      signal,
    );
    const outcome = await this.#follow(request, target.url, budget);
    if (outcome.outcome === 'failed')
      this.#log.debug('Request failed', {
        url: redactUrl(request.url),
        why: outcome.why,
        detail: outcome.detail,
      });
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Follows redirects: each hop is checked, throttled by its host, and shares the time budget. */
  async #follow(request: FetchRequest, start: URL, budget: TimeBudget): Promise<FetchOutcome> {
    const method = request.method ?? 'GET';
    const follows = method === 'GET' || method === 'HEAD';
    const visited = new Set<string>([start.href]);
    let url = start;
    let permanent = true;
    let isRedirect = false;
    for (let hops = 0; ; hops++) {
      const answer = await this.#requestThrottled({ request, method, url, start, budget, isRedirect });
      if ('outcome' in answer) return answer;
      const hop = follows ? nextHop(answer.status, answer.headers.location, url, this.#policy) : null;
      if (hop === null) return this.#response(answer, url, hops > 0 && permanent, request);
      if (!hop.ok) return failed(hop.why, `redirect: ${hop.detail}`, true);
      if (visited.has(hop.url.href)) return failed('too_many_redirects', 'the redirects form a loop', true);
      if (hops >= (request.maxRedirects ?? this.#limits.maxRedirects))
        return failed('too_many_redirects', `more than ${hops} redirects`, true);
      visited.add(hop.url.href);
      permanent &&= hop.permanent;
      isRedirect = hop.url.host === url.host;
      url = hop.url;
    }
  }

  async #requestThrottled(hop: Hop): Promise<Answered | Failed> {
    const { url, budget } = hop;
    const polite = hop.request.polite ?? true;
    if (budget.signal?.aborted) return failed('aborted', 'aborted by the caller');
    if (polite) {
      try {
        const admission = await this.#traffic.enter(url.host, budget.signal, hop.isRedirect);
        if (!admission.granted) {
          const retryAt = this.#clock.now() + Math.max(0, admission.until - this.#clock.monotonic());
          const words =
            admission.why === 'asked_to_wait' ? 'is rate limiting us' : 'keeps failing and is suspended';
          return { ...failed('host_suspended', `${url.hostname} ${words}`), retryAt };
        }
      } catch (error) {
        if (budget.signal?.aborted) return failed('aborted', 'aborted by the caller');
        throw error;
      }
    }
    let result: 'fine' | 'failed' | 'unknown' = 'unknown';
    try {
      const answer = await this.#request(hop);
      result = resultFor(answer);
      if (polite && !('outcome' in answer)) this.#applyRateLimit(url.host, answer);
      return answer;
    } finally {
      if (polite) this.#traffic.leave(url.host, result);
    }
  }

  /** One request. A GET or HEAD that fails on a stale keep-alive connection is retried once; nothing else is. */
  async #request({ request, method, url, start, budget }: Hop): Promise<Answered | Failed> {
    this.#agent ??= this.#openAgent();
    const agent = await this.#agent;
    const once = () =>
      this.#slots((): Promise<Exchanged> => {
        const { signal } = budget;
        if (signal?.aborted === true)
          return Promise.resolve({ ok: false, error: signal.reason, sent: false, tooLarge: false });
        return budget.spend(
          exchange(agent, {
            url,
            method,
            headers: headersFor(request, this.#userAgent, url === start || url.origin === start.origin),
            body: request.body ?? null,
            maxBytes: request.maxBytes ?? this.#limits.maxBytes,
            idleMs: this.#limits.idleMs,
          }),
        );
      });
    let answer = await once();
    const repeatable = method === 'GET' || method === 'HEAD';
    if (!answer.ok && repeatable && answer.sent && !answer.tooLarge && isStale(answer.error) && !budget.over)
      answer = await once();
    if (answer.ok) {
      const host = bareHost(url);
      if (isIP(host) === 0 && host !== 'localhost') this.#connectivity.reached(host);
      return answer;
    }
    return this.#failure(answer, url, budget);
  }

  async #failure(answer: Extract<Exchanged, { ok: false }>, url: URL, budget: TimeBudget): Promise<Failed> {
    const host = url.hostname;
    if (budget.signal?.aborted) return failed('aborted', 'aborted by the caller', answer.sent);
    if (answer.tooLarge) return failed('too_large', `${host}: the answer is too large`, answer.sent);
    if (budget.over) return failed('timeout', `${host}: no complete answer in time`, answer.sent);
    const failure = classifyError(answer.error, host);
    if (
      failure.symptom !== null &&
      !answer.sent &&
      (await this.#connectivity.isOffline(host, failure.symptom))
    )
      return failed('offline', `nothing can be reached: ${failure.detail}`);
    return failed(failure.why, failure.detail, answer.sent);
  }

  /** `Retry-After` on 429 and 503 is about the host; on other responses it is about the URL, and left to the caller. */
  #applyRateLimit(host: string, answer: Answered): void {
    if (answer.status !== 429 && answer.status !== 503) return;
    const at = retryAfter(answer.headers['retry-after'], this.#clock.now(), answer.headers.date);
    const wait =
      at === null ? (answer.status === 429 ? DEFAULT_RATE_LIMIT_WAIT_MS : 0) : at - this.#clock.now();
    if (wait > 0) this.#traffic.suspend(host, wait);
  }

  async #response(answer: Answered, url: URL, moved: boolean, request: FetchRequest): Promise<FetchOutcome> {
    const encoding = answer.headers['content-encoding'];
    let body = answer.body;
    if (encoding !== undefined && body.byteLength > 0) {
      const plain = await decompress(body, encoding, request.maxBytes ?? this.#limits.maxBytes);
      if (!plain.ok) return failed(plain.why, `${url.hostname}: ${plain.detail}`, true);
      body = plain.body;
    }
    return {
      outcome: 'response',
      status: answer.status,
      headers: answer.headers,
      body,
      url: url.href,
      movedTo: moved && answer.status < 400 ? url.href : null,
      retryAt: retryAfter(answer.headers['retry-after'], this.#clock.now(), answer.headers.date),
    };
  }
}

function failed(why: FetchErrorKind, detail: string, sent = false): Failed {
  return { outcome: 'failed', why, detail, sent };
}

function resultFor(answer: Answered | Failed): 'fine' | 'failed' | 'unknown' {
  if (!('outcome' in answer)) return answer.status >= 500 ? 'failed' : 'fine';
  if (answer.why === 'too_large') return 'fine';
  return answer.why === 'offline' || answer.why === 'aborted' || answer.why === 'blocked_address'
    ? 'unknown'
    : 'failed';
}

/** Errors of a keep-alive connection that the server closed while it was idle. */
function isStale(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
