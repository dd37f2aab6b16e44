import type { FetchOutcome } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { jsonIn } from '../answer.ts';
import { type InstanceLimits, USUAL_LIMITS } from './status.ts';

/** When the instance did not answer, it is asked again after this time; the last known limits hold meanwhile. */
const ASK_AGAIN = 10 * MINUTE;
const MOST_BELIEVED = 1_000_000;

/** What one instance takes, in its own words, read once a day. */
export class KnownLimits {
  readonly #ask: (path: string, signal?: AbortSignal) => Promise<FetchOutcome>;
  readonly #clock: Clock;
  #known: InstanceLimits | null = null;
  #nextAt = 0;
  #asking: Promise<void> | null = null;

  constructor(ask: (path: string, signal?: AbortSignal) => Promise<FetchOutcome>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** `null` until the instance has told them. */
  get known(): InstanceLimits | null {
    return this.#known;
  }

  /** The instance's own, or the usual ones until it has told them. */
  get current(): InstanceLimits {
    return this.#known ?? USUAL_LIMITS;
  }

  /** Asks the instance where it is time to. */
  async refresh(signal?: AbortSignal): Promise<void> {
    if (this.#clock.now() < this.#nextAt) return;
    this.#asking ??= this.#read(signal).finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  async #read(signal?: AbortSignal): Promise<void> {
    // Servers that speak Mastodon's API often have the older address only.
    for (const path of ['/api/v2/instance', '/api/v1/instance']) {
      const answer = await this.#ask(path, signal);
      const limits =
        answer.outcome === 'response' && answer.status === 200 ? limitsIn(jsonIn(answer.body)) : null;
      if (limits === null) continue;
      this.#known = limits;
      this.#nextAt = this.#clock.now() + DAY;
      return;
    }
    this.#nextAt = this.#clock.now() + ASK_AGAIN;
  }
}

/** `null` where the answer is not an instance's. */
export function limitsIn(answer: unknown): InstanceLimits | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  if (!('uri' in answer) && !('domain' in answer)) return null;
  const statuses = field(field(answer, 'configuration'), 'statuses');
  const said = count(field(statuses, 'max_characters'));
  if (said !== null) {
    const perUrl = count(field(statuses, 'characters_reserved_per_url'));
    return { maxCharacters: said, charactersPerUrl: perUrl ?? USUAL_LIMITS.charactersPerUrl };
  }
  // Servers that say it this way count every character of an address.
  const older = count(field(answer, 'max_toot_chars'));
  return older === null ? USUAL_LIMITS : { maxCharacters: older, charactersPerUrl: null };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MOST_BELIEVED
    ? Number(value)
    : null;
}
