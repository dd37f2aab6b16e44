/** Exports of a benchmark (`bench/<name>.ts`). */
export interface Bench {
  /** One line for the list. */
  readonly about: string;
  run(options: BenchOptions): Promise<readonly Result[]>;
}

export interface BenchOptions {
  /** Fewer and smaller rounds: the whole bench ends within 40 seconds. */
  readonly quick: boolean;
  /** Prints progress; never part of the result. */
  log(line: string): void;
}

/** One measured figure beside a peer, a limit, or both. */
export interface Result {
  readonly name: string;
  readonly ours: number;
  readonly unit: string;
  /** The same work done by another program. */
  readonly peer: Compared | null;
  /** The physical or contractual limit. */
  readonly limit: Compared | null;
  readonly ratioToPeer: number | null;
  readonly ratioToLimit: number | null;
  /** The figure that is to be reached, in words. */
  readonly goal: string;
  /** Whether this run reached it. */
  readonly met: boolean;
}

export interface Compared {
  readonly name: string;
  readonly value: number;
}

/** Fills in the ratios. */
export function result(
  measured: Omit<Result, 'ratioToPeer' | 'ratioToLimit' | 'peer' | 'limit'> &
    Partial<Pick<Result, 'peer' | 'limit'>>,
): Result {
  const { peer = null, limit = null, ...rest } = measured;
  return {
    ...rest,
    peer,
    limit,
    ratioToPeer: peer === null ? null : round(rest.ours / peer.value),
    ratioToLimit: limit === null ? null : round(rest.ours / limit.value),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
