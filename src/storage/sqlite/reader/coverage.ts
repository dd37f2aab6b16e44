import { ordOf } from './order.ts';

/** The source number of a mark of all sources. */
export const ALL_SOURCES = -1;
/** The source number of entries whose sources were removed. */
export const NO_SOURCE = 0;

/** "Read all" of one source, or of all. */
export interface Mark {
  readonly source: number;
  readonly upTo: number;
  /** Bound of the time of publication; `null`: none. */
  readonly before: number | null;
}

/** What arrived with a number up to `upTo`, at a place below `beforeOrd`. */
export interface Region {
  readonly upTo: number;
  readonly beforeOrd: number;
}

const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** What a person's marks cover. */
export class Coverage {
  readonly #all: readonly Region[];
  readonly #bySource = new Map<number, readonly Region[]>();

  constructor(marks: readonly Mark[]) {
    const regions = new Map<number, Region[]>();
    for (const mark of marks) {
      const known = regions.get(mark.source);
      if (known === undefined) regions.set(mark.source, [toRegion(mark)]);
      else known.push(toRegion(mark));
    }
    this.#all = frontier(regions.get(ALL_SOURCES) ?? []);
    for (const [source, own] of regions) this.#bySource.set(source, frontier([...own, ...this.#all]));
  }

  get isEmpty(): boolean {
    return this.#bySource.size === 0;
  }

  regionsOf(source: number): readonly Region[] {
    return this.#bySource.get(source) ?? this.#all;
  }

  covers(source: number, seq: number, ord: number): boolean {
    return this.regionsOf(source).some((region) => isIn(region, seq, ord));
  }
}

export function toRegion({ upTo, before }: Mark): Region {
  return { upTo, beforeOrd: before === null ? UNBOUNDED : ordOf(before) };
}

export function isIn({ upTo, beforeOrd }: Region, seq: number, ord: number): boolean {
  return seq <= upTo && ord < beforeOrd;
}

/** Without the regions that another one contains. */
export function frontier(regions: readonly Region[]): Region[] {
  const kept: Region[] = [];
  let highest = Number.NEGATIVE_INFINITY;
  for (const region of regions.toSorted((a, b) => b.upTo - a.upTo || b.beforeOrd - a.beforeOrd)) {
    if (region.beforeOrd <= highest) continue;
    highest = region.beforeOrd;
    kept.push(region);
  }
  return kept;
}

/** The SQL condition on `seq` and `ord` of rows that no region contains, and its values. */
export function uncovered(regions: readonly Region[]): { readonly sql: string; readonly values: number[] } {
  const floor = regions.find(({ beforeOrd }) => beforeOrd === UNBOUNDED)?.upTo ?? 0;
  const bounded = regions.filter(({ beforeOrd }) => beforeOrd !== UNBOUNDED);
  return {
    sql: `seq > ?${' AND NOT (seq <= ? AND ord < ?)'.repeat(bounded.length)}`,
    values: [floor, ...bounded.flatMap(({ upTo, beforeOrd }) => [upTo, beforeOrd])],
  };
}
