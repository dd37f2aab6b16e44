import type { FetchOutcome } from '../fetch/fetcher.ts';
import type { Clock } from '../time/clock.ts';
import type { EditOutcome, ReadBackOutcome, SendOutcome } from './publisher.ts';

type HttpResponse = Extract<FetchOutcome, { outcome: 'response' }>;

/** How to interpret the responses of one service. */
export interface ResponseReader {
  readonly name: string;
  /** What an operator should check when the service rejects our key. */
  readonly hint: string;
  /** The message's ID in a successful response; `null` if there is none. */
  idOf(answer: HttpResponse): { readonly remoteId: string; readonly url?: string } | null;
  /** The service's own error message. */
  errorTextOf(answer: HttpResponse): string | undefined;
  /** Whether a 404 means that only this message was deleted, not the whole destination. */
  isMessageGone?(answer: HttpResponse): boolean;
  /** When a rate limit ends, for services with a format of their own. */
  rateLimitEndsAt?(answer: HttpResponse): number | null;
}

/**
 * Outcome of a message by the response. Only an explicit confirmation counts as sent; only a response that rules out any effect
 * counts as refused or held; everything else is unknown (X2).
 */
export function sendOutcome(answer: FetchOutcome, service: ResponseReader): SendOutcome {
  const { name, hint } = service;
  if (answer.outcome === 'failed') {
    const detail = `${name} could not be reached (${answer.why}): ${answer.detail}`;
    return answer.sent
      ? { outcome: 'unknown', detail }
      : { outcome: 'held', detail, until: null, unreachable: true };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const id = service.idOf(answer);
    return id === null
      ? { outcome: 'unknown', detail: `${name} answered ${status} without an ID for the message` }
      : { outcome: 'sent', ...id };
  }
  const words = service.errorTextOf(answer)?.slice(0, 200);
  const detail = `${name} answered ${status}${words === undefined ? '' : ` (${words})`}`;
  if (status === 429)
    return { outcome: 'held', detail, until: service.rateLimitEndsAt?.(answer) ?? answer.retryAt };
  // Retrying with an invalid key gets the whole IP address blocked, so the destination is paused.
  if (status === 401 || status === 403 || status === 404) {
    return { outcome: 'held', detail: `${detail}: check ${hint}`, until: null };
  }
  if (status >= 300 && status < 500 && status !== 408) return { outcome: 'refused', detail };
  return { outcome: 'unknown', detail };
}

/** Outcome of an edit by the response. Edits are idempotent, so an unclear response means a retry. */
export function editOutcome(answer: FetchOutcome, service: ResponseReader): EditOutcome {
  const sent = sendOutcome(answer, service);
  if (answer.outcome === 'response' && answer.status === 404 && service.isMessageGone?.(answer) === true)
    return { outcome: 'gone', detail: `${service.name} no longer has the message` };
  switch (sent.outcome) {
    case 'sent':
      return { outcome: 'edited' };
    case 'refused':
      return sent;
    case 'held':
      return { outcome: 'later', detail: sent.detail, until: sent.until };
    case 'unknown':
      return { outcome: 'later', detail: sent.detail, until: null };
  }
}

/** A failed attempt to read back. */
export function readBackFailed(answer: FetchOutcome, name: string): ReadBackOutcome {
  const detail = answer.outcome === 'failed' ? answer.detail : `${name} answered ${answer.status}`;
  return { outcome: 'cannot_tell', detail, passing: true };
}

/** The JSON in a body, or `undefined` if it is not JSON (an HTML page, a truncated response). */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** A field of the JSON object in a body, if it is a non-empty string. */
export function textField(body: Uint8Array, field: string): string | undefined {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  const text = (value as Record<string, unknown>)[field];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * When exhausted rate limits end, as reported by the destinations. One instance per process, since two publishers may share
 * a limit. Kept in memory only: after a restart the next response reports the limit again.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #ends = new Map<string, { readonly until: number; readonly monotonic: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that the limit with this name is exhausted until then. */
  markExhausted(limit: string, until: number): void {
    const later = Math.max(until, this.exhaustedUntil(limit));
    const monotonic = this.#clock.monotonic() + later - this.#clock.now();
    this.#ends.set(limit, { until: later, monotonic });
  }

  /** The latest end of these limits; 0 if none is known to be exhausted. Setting the clock back does not extend them. */
  exhaustedUntil(...limits: readonly string[]): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    const ends = limits.flatMap((limit) => this.#ends.get(limit) ?? []);
    return Math.max(0, ...ends.map(({ until, monotonic }) => Math.min(until, Math.ceil(ahead + monotonic))));
  }
}
