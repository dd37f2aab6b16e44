import { networkInterfaces } from 'node:os';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Resolve } from './exchange.ts';

/** So long after a success, a failure is the other side's. */
const ONLINE_GRACE_MS = MINUTE;
/** So many hosts failing in a row, with no success between them, are our own network. */
const OFFLINE_AFTER_HOSTS = 3;
const MAX_PROBE_HOSTS = 3;

/**
 * Tells "we are offline" from "they are broken" (X5): when nothing at all can be reached, nobody is blamed. It asks
 * no third party; it only looks at the hosts that are read anyway.
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

  /** The host has answered, whatever it said. */
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

  /** A host could not be reached, in a way that may be our own fault. Is it? */
  async isOffline(host: string, symptom: 'strong' | 'weak'): Promise<boolean> {
    const asked = this.#clock.monotonic();
    this.#failedSince.add(host);
    if (asked - this.#lastSuccess < ONLINE_GRACE_MS) return false;
    if (!this.#hasInterface()) return true;
    const witnesses = [...this.#probeHosts].filter((witness) => witness !== host);
    if (witnesses.length === 0) return symptom === 'strong' || this.#failedSince.size >= OFFLINE_AFTER_HOSTS;
    const found = await Promise.all(witnesses.map((witness) => this.#resolves(witness)));
    // Somebody may have answered in the meantime.
    if (this.#lastSuccess >= asked) return false;
    if (!found.includes(true)) return true;
    return (
      this.#failedSince.size >= OFFLINE_AFTER_HOSTS &&
      witnesses.every((witness) => this.#failedSince.has(witness))
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
