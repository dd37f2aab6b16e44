import type { Rng } from '../world/rng.ts';
import type { Ask, ServiceName } from './exchange.ts';

/**
 * What can go wrong with one exchange.
 *
 * | how          | effect applied | what the client sees |
 * |--------------|----------------|----------------------|
 * | `slow`       | yes            | the true answer after `ms` |
 * | `drip`       | yes            | the true answer, a piece every `ms` |
 * | `reset`      | no             | the connection is reset before any answer |
 * | `lost_reply` | yes            | the connection is reset before any answer |
 * | `half_open`  | `applied`      | silence, for as long as the client waits |
 * | `cut`        | yes            | the head and half of the body, then a reset |
 * | `stall`      | yes            | the head and half of the body, then silence |
 * | `status`     | no             | an error in the service's own words |
 * | `rate_limit` | no             | 429 in the service's own words |
 * | `garbage`    | yes            | bytes that are not what their type says |
 * | `html`       | yes            | a web page instead of the answer |
 * | `wrong`      | yes            | well-formed JSON of another shape |
 */
export type FaultKind =
  | 'slow'
  | 'drip'
  | 'reset'
  | 'lost_reply'
  | 'half_open'
  | 'cut'
  | 'stall'
  | 'status'
  | 'rate_limit'
  | 'garbage'
  | 'html'
  | 'wrong';

export const FAULT_KINDS: readonly FaultKind[] = [
  'slow',
  'drip',
  'reset',
  'lost_reply',
  'half_open',
  'cut',
  'stall',
  'status',
  'rate_limit',
  'garbage',
  'html',
  'wrong',
];

export interface FaultRule {
  readonly service: ServiceName;
  readonly how: FaultKind;
  readonly match?: {
    readonly method?: string;
    /** Any part of the path. */
    readonly path?: string;
    /** Any part of the body. */
    readonly body?: string;
  };
  /** How many matching requests are affected; 1 by default. */
  readonly times?: number | 'always';
  /** How many matching requests succeed first. */
  readonly after?: number;
  /** Ends this long after it was injected, whatever `times` is (a storm). */
  readonly forMs?: number;
  /** 0–1: the probability for each matching request. Drawn from the simulator's seed. */
  readonly chance?: number;
  /** For `slow` and `drip`. */
  readonly ms?: number;
  /** For `status`. */
  readonly status?: number;
  /** For `status`: replaces the service's own error. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For `rate_limit`. */
  readonly retryAfterMs?: number;
  /** For `half_open`: the effect is applied, the client gets no answer. */
  readonly applied?: boolean;
}

/** An active fault. */
export interface InjectedFault {
  readonly id: number;
  readonly rule: FaultRule;
  /** How many requests were affected so far. */
  readonly hits: number;
  stop(): void;
}

interface Entry {
  readonly id: number;
  readonly rule: FaultRule;
  readonly endsAt: number;
  skip: number;
  left: number;
  hits: number;
}

/** Selects the requests that get a fault. The oldest rule that matches wins. */
export class FaultRules {
  #entries: Entry[] = [];
  #nextId = 1;
  readonly #now: () => number;
  readonly #rng: Rng;

  constructor(now: () => number, rng: Rng) {
    this.#now = now;
    this.#rng = rng;
  }

  add(rule: FaultRule): InjectedFault {
    const times = rule.times ?? (rule.forMs === undefined && rule.chance === undefined ? 1 : 'always');
    const entry: Entry = {
      id: this.#nextId++,
      rule,
      endsAt: rule.forMs === undefined ? Number.POSITIVE_INFINITY : this.#now() + rule.forMs,
      skip: rule.after ?? 0,
      left: times === 'always' ? Number.POSITIVE_INFINITY : times,
      hits: 0,
    };
    this.#entries.push(entry);
    const stop = (): void => this.remove(entry.id);
    return {
      id: entry.id,
      rule,
      get hits() {
        return entry.hits;
      },
      stop,
    };
  }

  remove(id: number): void {
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
  }

  clear(): void {
    this.#entries = [];
  }

  list(): readonly { id: number; rule: FaultRule; hits: number }[] {
    return this.#entries.map(({ id, rule, hits }) => ({ id, rule, hits }));
  }

  /** The fault for this request, if any; consumes one of its `times`. */
  take(service: ServiceName, ask: Ask): FaultRule | null {
    const now = this.#now();
    this.#entries = this.#entries.filter((entry) => entry.endsAt > now);
    for (const entry of this.#entries) {
      if (entry.left <= 0 || entry.rule.service !== service || !matches(entry.rule, ask)) continue;
      if (entry.skip > 0) {
        entry.skip--;
        continue;
      }
      if (entry.rule.chance !== undefined && this.#rng.next() >= entry.rule.chance) continue;
      entry.left--;
      entry.hits++;
      return entry.rule;
    }
    return null;
  }
}

function matches({ match }: FaultRule, ask: Ask): boolean {
  if (!match) return true;
  if (match.method !== undefined && match.method.toUpperCase() !== ask.method) return false;
  if (match.path !== undefined && !ask.path.includes(match.path)) return false;
  return match.body === undefined || ask.body.includes(match.body);
}
