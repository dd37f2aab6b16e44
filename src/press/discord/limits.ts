import type { FetchOutcome } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { jsonIn } from '../answer.ts';
import type { Rests } from '../rests.ts';

/** What Discord's answers say about the limits of one route, and of everything. */
export class DiscordLimits {
  readonly #rests: Rests;
  readonly #clock: Clock;
  readonly #all: string;
  /** The route's own name until Discord has told its bucket; routes in one bucket share its limit. */
  #own: string;
  readonly #resource: string;

  /** `resource`: the channel or webhook that the route is about, which has buckets of its own. */
  constructor(place: { host: string; route: string; resource: string }, rests: Rests, clock: Clock) {
    this.#rests = rests;
    this.#clock = clock;
    this.#resource = place.resource;
    this.#all = `discord ${place.host}`;
    this.#own = `discord ${place.host} ${place.route} ${place.resource}`;
  }

  restingUntil(): number {
    return this.#rests.until(this.#all, this.#own);
  }

  /** Learns from an answer, so that the next message waits instead of being refused. */
  heed(answer: FetchOutcome): void {
    if (answer.outcome === 'failed') return;
    const { headers } = answer;
    const bucket = headers['x-ratelimit-bucket'];
    if (bucket !== undefined) this.#own = `discord ${bucket} ${this.#resource}`;
    if (answer.status === 429) {
      const until = limitEnds(answer, this.#clock.now());
      if (until !== null) this.#rests.note(isGlobal(answer) ? this.#all : this.#own, until);
    } else if (headers['x-ratelimit-remaining'] === '0') {
      const seconds = Number.parseFloat(headers['x-ratelimit-reset-after'] ?? '');
      if (seconds > 0) this.#rests.note(this.#own, this.#clock.now() + Math.ceil(seconds * 1000));
    }
  }
}

type Response = Extract<FetchOutcome, { outcome: 'response' }>;

/** Discord's body counts in milliseconds where `Retry-After` counts in whole seconds. */
export function limitEnds({ body, retryAt }: Response, now: number): number | null {
  const said = jsonIn(body);
  const seconds =
    typeof said === 'object' && said !== null && 'retry_after' in said
      ? Number(said.retry_after)
      : Number.NaN;
  return seconds >= 0 && seconds < 1e6 ? now + Math.ceil(seconds * 1000) : retryAt;
}

function isGlobal({ headers }: Response): boolean {
  return headers['x-ratelimit-global'] === 'true' || headers['x-ratelimit-scope'] === 'global';
}
