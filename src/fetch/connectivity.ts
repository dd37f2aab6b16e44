import { networkInterfaces } from 'node:os';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Resolve } from './exchange.ts';

/** Within this time after a success, a failure is the server's. */
const ONLINE_GRACE_MS = MINUTE;
/** Number of hosts that fail in a row, without a success between them, after which our own network is down. */
const OFFLINE_AFTER_HOSTS = 3;
const MAX_PROBE_HOSTS = 3;

/**
 * Distinguishes "we are offline" from "the server is down" (X5): while offline, no host's circuit breaker counts a failure.
 * Uses no third party, only the hosts that are fetched anyway.
 *
 * Only hosts that are reached by name count, because a service on this machine answers without any network.
 */
export class Connectivity {
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  readonly #hasInterface: () => boolean;
  #lastSuccess = Number.NEGATIVE_INFINITY;
  readonly #failedSince = new Set<string>();
  /** Hosts that have answered, the latest last. */
  readonly #probeHosts = new Set<string>();

  constructor(clock: Clock, resolve: Resolve, hasInterface: () => boolean = hasOuterInterface) {
    this.#clock = clock;
    this.#resolve = resolve;
    this.#hasInterface = hasInterface;
  }

  /** The host has answered, with any status. */
  reached(host: string): void {
    this.#lastSuccess = this.#clock.monotonic();
    if (this.#failedSince.size > 0) this.#failedSince.clear();
    if (this.#probeHosts.has(host) && this.#probeHosts.size < MAX_PROBE_HOSTS) return;
    this.#probeHosts.delete(host);
    this.#probeHosts.add(host);
    if (this.#probeHosts.size > MAX_PROBE_HOSTS) {
      const [oldest] = this.#probeHosts;
      if (oldest !== undefined) this.#probeHosts.delete(oldest);
    }
  }

  /** Whether a failed connection to a host is caused by our own network. */
  async isOffline(host: string, symptom: 'strong' | 'weak'): Promise<boolean> {
    const asked = this.#clock.monotonic();
    this.#failedSince.add(host);
    if (asked - this.#lastSuccess < ONLINE_GRACE_MS) return false;
    if (!this.#hasInterface()) return true;
    const probes = [...this.#probeHosts].filter((probe) => probe !== host);
    if (probes.length === 0) return symptom === 'strong' || this.#failedSince.size >= OFFLINE_AFTER_HOSTS;
    const found = await Promise.all(probes.map((probe) => this.#resolves(probe)));
    // A host may have answered in the meantime.
    if (this.#lastSuccess >= asked) return false;
    if (!found.includes(true)) return true;
    return (
      this.#failedSince.size >= OFFLINE_AFTER_HOSTS && probes.every((probe) => this.#failedSince.has(probe))
    );
  }

  #resolves(host: string): Promise<boolean> {
    return this.#resolve(host).then(
      (addresses) => addresses.length > 0,
      () => false,
    );
  }
}

function hasOuterInterface(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((address) => !address.internal),
  );
}
