import type { FetchOutcome } from '../fetch/fetcher.ts';
import type { Clock } from '../time/clock.ts';
import type { EditOutcome, ReadBackOutcome, SendOutcome } from './publisher.ts';

type HttpResponse = Extract<FetchOutcome, { outcome: 'response' }>;

/** How one service answers. */
export interface ResponseReader {
  readonly name: string;
  /** What a person should look at when the service does not accept our key. */
  readonly hint: string;
  /** The message's ID in an answer that says it was taken; `null` where there is none. */
  idOf(answer: HttpResponse): { readonly remoteId: string; readonly url?: string } | null;
  /** The service's own words about an error. */
  errorTextOf(answer: HttpResponse): string | undefined;
  /** Whether a 404 means that this one message is gone, and not all of the place. */
  isMessageGone?(answer: HttpResponse): boolean;
  /** When a rate limit ends, where the service says so in a way of its own. */
  rateLimitEndsAt?(answer: HttpResponse): number | null;
}

/**
 * What an answer means for the message. Only an answer that says so counts as sent; only one that cannot have had an effect
 * counts as refused or held; everything else is unknown (X2).
 */
export function sendOutcome(answer: FetchOutcome, service: ResponseReader): SendOutcome {
  const { name, hint: check } = service;
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
  // Hammering with a dead key gets the whole address blocked, so the destination rests.
  if (status === 401 || status === 403 || status === 404) {
    return { outcome: 'held', detail: `${detail}: check ${check}`, until: null };
  }
  if (status >= 300 && status < 500 && status !== 408) return { outcome: 'refused', detail };
  return { outcome: 'unknown', detail };
}

/** What an answer to an edit means. An edit can be made again, so whatever tells nothing is simply tried again. */
export function editOutcome(answer: FetchOutcome, service: ResponseReader): EditOutcome {
  const sent = sendOutcome(answer, service);
  if (answer.outcome === 'response' && answer.status === 404 && service.isMessageGone?.(answer) === true)
    return { outcome: 'gone', detail: `${service.name} has the message no more` };
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

/** Reading back did not work this time. */
export function readBackFailed(answer: FetchOutcome, name: string): ReadBackOutcome {
  const detail = answer.outcome === 'failed' ? answer.detail : `${name} answered ${answer.status}`;
  return { outcome: 'cannot_tell', detail, passing: true };
}

/** The JSON in a body, or `undefined` where there is none (an HTML page, a cut-off answer). */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** A field of the JSON object in a body, where it is a text that is not empty. */
export function textField(body: Uint8Array, field: string): string | undefined {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  const text = (value as Record<string, unknown>)[field];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * Until when limits are used up, as the other side has said. One for the whole program, since two publishers may share
 * a limit. It is kept in memory only: whoever has forgotten it is told again by the next answer.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #ends = new Map<string, { readonly until: number; readonly monotonic: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limit with this name is used up until then. */
  markExhausted(limit: string, until: number): void {
    const later = Math.max(until, this.exhaustedUntil(limit));
    const monotonic = this.#clock.monotonic() + later - this.#clock.now();
    this.#ends.set(limit, { until: later, monotonic });
  }

  /** The latest end of these limits; 0 where none of them is known to be used up. A clock that is set back makes none longer. */
  exhaustedUntil(...limits: readonly string[]): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    const ends = limits.flatMap((limit) => this.#ends.get(limit) ?? []);
    return Math.max(0, ...ends.map(({ until, monotonic }) => Math.min(until, Math.ceil(ahead + monotonic))));
  }
}
