import type { FetchOutcome } from '../../fetch/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { parseJson, type RateLimits, type ResponseReader, textField } from '../service-response.ts';

/** Contact address if the operator configured none. */
const NO_ADDRESS = 'https://kawaraban.example';
/** As in `package.json`; a test compares. */
const VERSION = '0.2.0';

/** Discord asks every client for `DiscordBot (url, version)`, and may block those that call themselves otherwise. */
export function discordUserAgent(contact: string | undefined): string {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(contact ?? '')
    ? contact?.replace(/[(),]/g, encodeURIComponent)
    : NO_ADDRESS;
  return `DiscordBot (${url}, ${VERSION})`;
}

const SNOWFLAKE = /^\d{17,20}$/;

/** Responses of Discord, both to bots and to webhooks. */
export function discordResponses(hint: string, clock: Clock): ResponseReader {
  return {
    name: 'Discord',
    hint,
    idOf({ body }) {
      const remoteId = messageId(parseJson(body));
      return remoteId === null ? null : { remoteId };
    },
    errorTextOf: ({ body }) => textField(body, 'message'),
    isMessageGone: ({ body }) => MESSAGE_OR_THREAD_GONE.includes(errorCode(body)),
    rateLimitEndsAt: (answer) => rateLimitEndsAt(answer, clock.now()),
  };
}

/** Unknown Message, and Unknown Channel: a post in a forum is a channel of its own. */
const MESSAGE_OR_THREAD_GONE: readonly unknown[] = [10008, 10003];

function errorCode(body: Uint8Array): unknown {
  const answer = parseJson(body);
  return typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : null;
}

/** A forum post is answered with its thread, which contains the message. */
function messageId(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  if ('message' in answer && typeof answer.message === 'object') return messageId(answer.message);
  return 'id' in answer ? snowflakeOf(answer.id) : null;
}

export function snowflakeOf(value: unknown): string | null {
  return typeof value === 'string' && SNOWFLAKE.test(value) ? value : null;
}

/** Rate limits of one route, and the global one, from Discord's response headers. */
export class DiscordRateLimits {
  readonly #rateLimits: RateLimits;
  readonly #clock: Clock;
  readonly #all: string;
  /** The route's own name until Discord has reported its bucket; routes in one bucket share its limit. */
  #own: string;
  readonly #resource: string;

  /** `resource`: the channel or webhook of the route, which has its own buckets. */
  constructor(
    place: { host: string; route: string; resource: string },
    rateLimits: RateLimits,
    clock: Clock,
  ) {
    this.#rateLimits = rateLimits;
    this.#clock = clock;
    this.#resource = place.resource;
    this.#all = `discord ${place.host}`;
    this.#own = `discord ${place.host} ${place.route} ${place.resource}`;
  }

  rateLimitedUntil(): number {
    return this.#rateLimits.exhaustedUntil(this.#all, this.#own);
  }

  /** Records the limits of a response, so that the next message waits instead of being rejected. */
  update(answer: FetchOutcome): void {
    if (answer.outcome === 'failed') return;
    const { headers } = answer;
    const bucket = headers['x-ratelimit-bucket'];
    if (bucket !== undefined) this.#own = `discord ${bucket} ${this.#resource}`;
    if (answer.status === 429) {
      const until = rateLimitEndsAt(answer, this.#clock.now());
      if (until !== null) this.#rateLimits.markExhausted(isGlobal(answer) ? this.#all : this.#own, until);
    } else if (headers['x-ratelimit-remaining'] === '0') {
      const seconds = Number.parseFloat(headers['x-ratelimit-reset-after'] ?? '');
      if (seconds > 0)
        this.#rateLimits.markExhausted(this.#own, this.#clock.now() + Math.ceil(seconds * 1000));
    }
  }
}

type HttpResponse = Extract<FetchOutcome, { outcome: 'response' }>;

/** Discord's body counts in milliseconds where `Retry-After` counts in whole seconds. */
export function rateLimitEndsAt({ body, retryAt }: HttpResponse, now: number): number | null {
  const error = parseJson(body);
  const seconds =
    typeof error === 'object' && error !== null && 'retry_after' in error
      ? Number(error.retry_after)
      : Number.NaN;
  return seconds >= 0 && seconds < 1e6 ? now + Math.ceil(seconds * 1000) : retryAt;
}

function isGlobal({ headers }: HttpResponse): boolean {
  return headers['x-ratelimit-global'] === 'true' || headers['x-ratelimit-scope'] === 'global';
}
