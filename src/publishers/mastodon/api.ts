import type { Fetcher, FetchOutcome, FetchRequest } from '../../fetch/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { parseJson, type ResponseReader, textField } from '../service-response.ts';
import { DEFAULT_LIMITS, type InstanceLimits } from './status.ts';

/** An account on an instance. */
export interface MastodonAccount {
  /** `https://mastodon.example`, without a path. */
  readonly instance: string;
  readonly token: () => string;
  readonly fetcher: Fetcher;
}

/** Sends a request to the instance with the account's token. */
export function callMastodon(
  { instance, token, fetcher }: MastodonAccount,
  path: string,
  signal?: AbortSignal,
  request: Pick<FetchRequest, 'method' | 'headers' | 'body' | 'timeoutMs'> = {},
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      url: new URL(path, instance).href,
      ...request,
      headers: { accept: 'application/json', authorization: `Bearer ${token()}`, ...request.headers },
      maxRedirects: 0,
      maxBytes: 4_000_000,
      polite: false,
    },
    signal,
  );
}

/** Responses of Mastodon. */
export const MASTODON_RESPONSES: ResponseReader = {
  name: 'Mastodon',
  hint: 'the token and the address of the instance',
  idOf({ body }) {
    const remoteId = entityId(parseEntity(body));
    const url = textField(body, 'url');
    return remoteId === null ? null : { remoteId, ...(url !== undefined && { url }) };
  },
  errorTextOf: ({ body }) => textField(body, 'error'),
  isMessageGone: ({ body }) => textField(body, 'error') !== undefined,
  rateLimitEndsAt({ headers }) {
    const reset = Date.parse(headers['x-ratelimit-reset'] ?? '');
    return Number.isNaN(reset) ? null : reset;
  },
};

/** The JSON of a response, with numeric `id`s kept as text: those of some servers exceed the range of a number. */
export function parseEntity(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body), (key, value: unknown, ...[context]: unknown[]) =>
      key === 'id' && typeof value === 'number' ? numberSource(context, value) : value,
    );
  } catch {
    return undefined;
  }
}

/** The ID of a status or an account; `null` where there is none. */
export function entityId(entity: unknown): string | null {
  if (typeof entity !== 'object' || entity === null || !('id' in entity)) return null;
  return typeof entity.id === 'string' && entity.id !== '' ? entity.id : null;
}

function numberSource(context: unknown, value: number): string {
  const source =
    typeof context === 'object' && context !== null && 'source' in context ? context.source : undefined;
  return typeof source === 'string' ? source : String(value);
}

/** Retry delay after the instance did not answer; the last known limits stay in use meanwhile. */
const RETRY_AFTER_MS = 10 * MINUTE;
const MAX_PLAUSIBLE = 1_000_000;

/** Limits of one instance, fetched once a day. */
export class InstanceLimitsCache {
  readonly #get: (path: string, signal?: AbortSignal) => Promise<FetchOutcome>;
  readonly #clock: Clock;
  #known: InstanceLimits | null = null;
  #nextAt = 0;
  #refreshing: Promise<void> | null = null;

  constructor(get: (path: string, signal?: AbortSignal) => Promise<FetchOutcome>, clock: Clock) {
    this.#get = get;
    this.#clock = clock;
  }

  /** `null` until the instance has reported them. */
  get known(): InstanceLimits | null {
    return this.#known;
  }

  /** The instance's limits, or the defaults until it has reported them. */
  get current(): InstanceLimits {
    return this.#known ?? DEFAULT_LIMITS;
  }

  /** Fetches the limits if they are due. */
  async refresh(signal?: AbortSignal): Promise<void> {
    if (this.#clock.now() < this.#nextAt) return;
    this.#refreshing ??= this.#read(signal).finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  async #read(signal?: AbortSignal): Promise<void> {
    // Other servers with Mastodon's API often have the older endpoint only.
    for (const path of ['/api/v2/instance', '/api/v1/instance']) {
      const answer = await this.#get(path, signal);
      const limits =
        answer.outcome === 'response' && answer.status === 200
          ? parseInstanceLimits(parseJson(answer.body))
          : null;
      if (limits === null) continue;
      this.#known = limits;
      this.#nextAt = this.#clock.now() + DAY;
      return;
    }
    this.#nextAt = this.#clock.now() + RETRY_AFTER_MS;
  }
}

/** `null` if the response does not describe an instance. */
export function parseInstanceLimits(answer: unknown): InstanceLimits | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  if (!('uri' in answer) && !('domain' in answer)) return null;
  const statuses = fieldOf(fieldOf(answer, 'configuration'), 'statuses');
  const maxCharacters = positiveInteger(fieldOf(statuses, 'max_characters'));
  if (maxCharacters !== null) {
    const perUrl = positiveInteger(fieldOf(statuses, 'characters_reserved_per_url'));
    return { maxCharacters, charactersPerUrl: perUrl ?? DEFAULT_LIMITS.charactersPerUrl };
  }
  // Servers with this format count every character of an address.
  const older = positiveInteger(fieldOf(answer, 'max_toot_chars'));
  return older === null ? DEFAULT_LIMITS : { maxCharacters: older, charactersPerUrl: null };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function positiveInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_PLAUSIBLE
    ? Number(value)
    : null;
}
