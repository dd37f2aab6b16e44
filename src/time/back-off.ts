export interface BackOffPolicy {
  /** The wait after the first failure, before jitter. */
  readonly baseMs: number;
  readonly capMs: number;
  /** How much longer each wait is than the one before. Default 2. */
  readonly factor?: number;
}

/**
 * How long to wait after so many failures in a row. Exponential up to the cap, with half of it random, so that feeds
 * that failed together do not come back together. `random` is in [0, 1).
 */
export function backOff(failures: number, policy: BackOffPolicy, random: number): number {
  if (!(failures > 0)) return 0;
  const factor = policy.factor ?? 2;
  const whole = Math.min(policy.capMs, policy.baseMs * factor ** Math.min(failures - 1, 64));
  return Math.round(whole / 2 + (whole / 2) * random);
}
