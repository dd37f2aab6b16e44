import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import type { Fetcher } from '../fetcher.ts';
import type { Resolve } from './guarded-connector.ts';
import { GuardedFetcher } from './guarded-fetcher.ts';
import { defaultLimits, type FetchLimits } from './limits.ts';

export interface FetcherOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Addresses, ranges, names, each with an optional port, that may be reached although they are not public (X6). */
  readonly allow?: readonly string[];
  /** A web page or mail address for those whose servers we read; part of the User-Agent. */
  readonly contact?: string | null;
  readonly limits?: Partial<FetchLimits>;
  readonly random?: () => number;
  /** How names become addresses; the system's way by default. */
  readonly resolve?: Resolve;
  /** Whether this machine has a network at all; looks at its interfaces by default. */
  readonly hasInterface?: () => boolean;
}

/** The one client for everything outside. Throws an `AllowEntryError` for an allow-list that cannot be understood. */
export function createFetcher(options: FetcherOptions): Fetcher {
  return new GuardedFetcher({ ...options, limits: { ...defaultLimits, ...options.limits } });
}
