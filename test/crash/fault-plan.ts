import type { FaultRule } from '../../simulator/net/fault.ts';
import { type Rng, rngOf } from '../../simulator/world/rng.ts';
import { HOUR, MINUTE, SECOND } from '../../src/time/duration.ts';
import {
  DESTINATIONS,
  type Destination,
  type EngineName,
  KINDS,
  type Kind,
  serviceOf,
} from './newsroom-config.ts';

/** One start of the program, and the faults during it. */
export interface Lifetime {
  /** How much later than the previous lifetime it begins. */
  readonly after: number;
  readonly fault: 'nothing' | 'crash' | 'stop' | 'jump';
  /** At which point. A lifetime with fewer points has no fault. */
  readonly at: number;
  /** With `jump`: by how much the machine's clock is wrong from then on. */
  readonly by: number;
}

/** Everything that goes wrong in one run. The same seed and number give the same plan. */
export interface Plan {
  /** Seed and number, to reproduce it. */
  readonly name: string;
  readonly engine: EngineName;
  readonly kind: Kind;
  readonly destination: Destination;
  readonly articles: number;
  readonly lifetimes: readonly Lifetime[];
  readonly faults: readonly FaultRule[];
  /** After everything is sent the articles are edited at their source, and this fault hits the lifetime that notices it. */
  readonly editing?: Lifetime;
}

/** Upper bound of the points of a lifetime without faults. */
const MAX_POINTS = 130;
/** Fewer while nothing new is sent. */
const MAX_EDITING_POINTS = 40;
const PAUSES: readonly number[] = [0, 30 * SECOND, 3 * MINUTE, 11 * MINUTE, 70 * MINUTE];

export function planOf(seed: number, run: number, engine: EngineName = 'sqlite'): Plan {
  const rng = rngOf('soak', seed, run);
  const destination = rng.pick(DESTINATIONS);
  const hasFaults = rng.next() < 0.6;
  const plan: Plan = {
    name: `seed ${seed}, run ${run}`,
    engine,
    kind: rng.pick(KINDS),
    destination,
    articles: rng.between(1, 4),
    lifetimes: Array.from({ length: rng.between(1, 4) }, () => lifetimeOf(rng)),
    faults: hasFaults ? Array.from({ length: rng.between(1, 3) }, () => faultOf(rng, destination)) : [],
  };
  // Videos keep their titles in the simulator.
  return plan.kind !== 'process' && rng.next() < 0.25 ? { ...plan, editing: editingOf(rng) } : plan;
}

/**
 * One crash at each point, for every engine, pipeline and destination. `countPoints` runs a plan and returns how many points
 * its lifetimes passed.
 */
export async function* everyPoint(
  engines: readonly EngineName[],
  countPoints: (plan: Plan) => Promise<{ readonly points: number; readonly editing: number }>,
  { withEdits = true } = {},
): AsyncGenerator<Plan> {
  const faultless: Lifetime = { after: 0, fault: 'nothing', at: 0, by: 0 };
  for (const engine of engines)
    for (const kind of KINDS)
      for (const destination of DESTINATIONS) {
        const clean: Plan = {
          name: 'clean',
          engine,
          kind,
          destination,
          articles: 3,
          lifetimes: [faultless],
          faults: [],
        };
        const { points } = await countPoints(clean);
        for (let at = 1; at <= points; at++)
          yield {
            ...clean,
            name: `point ${at} of ${points}`,
            lifetimes: [{ ...faultless, fault: 'crash', at }],
          };
        if (kind === 'process' || !withEdits) continue;
        const { editing } = await countPoints({ ...clean, editing: faultless });
        for (let at = 1; at <= editing; at++)
          yield {
            ...clean,
            name: `point ${at} of ${editing} while editing`,
            editing: { ...faultless, fault: 'crash', at },
          };
      }
}

function lifetimeOf(rng: Rng): Lifetime {
  return {
    after: rng.pick(PAUSES),
    fault: rng.pick(['nothing', 'crash', 'crash', 'crash', 'stop', 'jump']),
    at: rng.between(1, MAX_POINTS),
    by: rng.between(-130, 130) * MINUTE,
  };
}

function editingOf(rng: Rng): Lifetime {
  return { ...lifetimeOf(rng), at: rng.between(1, MAX_EDITING_POINTS) };
}

function faultOf(rng: Rng, destination: Destination): FaultRule {
  const shared = {
    service: serviceOf(destination),
    match: { method: rng.next() < 0.8 ? 'POST' : 'GET' },
    after: rng.between(0, 2),
    times: rng.between(1, 3),
  };
  // A half-open connection lasts for a real timeout, so it is rarer than the others.
  const how = rng.pick([
    'lost_reply',
    'lost_reply',
    'reset',
    'cut',
    'garbage',
    'html',
    'wrong',
    'status',
    'rate_limit',
    'half_open',
  ] as const);
  switch (how) {
    case 'status':
      return { ...shared, how, status: rng.pick([500, 502, 503]) };
    case 'rate_limit': {
      const { times: _times, ...storm } = shared;
      return {
        ...storm,
        how,
        retryAfterMs: rng.pick([SECOND, MINUTE, HOUR]),
        forMs: rng.pick([MINUTE, HOUR]),
      };
    }
    case 'half_open':
      return { ...shared, how, times: 1, applied: rng.next() < 0.5 };
    default:
      return { ...shared, how };
  }
}

/** The plan in one line, for a report. */
export function describePlan(plan: Plan): string {
  const { name, engine, kind, destination, articles, lifetimes, faults, editing } = plan;
  const describeLifetime = ({ after, fault, at, by }: Lifetime): string => {
    const what =
      fault === 'nothing' ? fault : `${fault} at ${at}${fault === 'jump' ? ` by ${by / MINUTE} min` : ''}`;
    return `after ${after / SECOND} s ${what}`;
  };
  const edited = editing === undefined ? '' : `; edited, ${describeLifetime(editing)}`;
  return `${name}: ${engine}, ${kind} → ${destination}, ${articles} articles; ${lifetimes.map(describeLifetime).join('; ')}; ${JSON.stringify(faults)}${edited}`;
}
