import ipaddr from 'ipaddr.js';
import { OperationalError } from '../../telemetry/errors.ts';
import { specialRange } from './address-range.ts';
import { isWebPort } from './port.ts';

/** An entry of the allow-list that cannot be understood. */
export class AllowEntryError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'AllowEntryError';
  readonly entry: string;

  constructor(entry: string) {
    super(
      `"${entry}" is no address to allow: write 10.1.2.3, 10.0.0.0/8, fd00::/8, 127.0.0.1:8080, [::1]:8080, name or name:8080`,
    );
    this.entry = entry;
  }
}

type AllowEntry =
  | {
      readonly kind: 'range';
      readonly range: [ipaddr.IPv4 | ipaddr.IPv6, number];
      readonly port: number | null;
    }
  | { readonly kind: 'name'; readonly name: string; readonly port: number | null };

const MOST_KNOWN = 1000;

/**
 * Which addresses may be reached (X6). Public ones on web ports, and what the configuration allows by address, range
 * or name; the allow-list is empty unless somebody fills it.
 */
export class AddressPolicy {
  readonly #entries: readonly AllowEntry[];
  /** The list never changes, so neither does an answer. */
  readonly #known = new Map<string, string | null>();

  constructor(allow: readonly string[]) {
    this.#entries = allow.map(readAllowEntry);
  }

  /** Why this address is out of bounds for this host and port, or `null` when it may be reached. */
  objection(address: string, host: string, port: number): string | null {
    const key = `${address} ${host} ${port}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#judge(address, host, port);
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, known);
    }
    return known;
  }

  #judge(address: string, host: string, port: number): string | null {
    const special = specialRange(address);
    if (special === null && isWebPort(port)) return null;
    if (this.#allows(address, host, port)) return null;
    if (special === null) return `port ${port} is not a web port`;
    return address === host
      ? `${host} is not a public address (${special})`
      : `${host} leads to ${address}, which is not a public address (${special})`;
  }

  /** Whether some address behind this name could be reached on this port, before its addresses are known. */
  couldReach(host: string, port: number): boolean {
    if (isWebPort(port)) return true;
    return this.#entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.kind === 'range' || entry.name === bareName(host)),
    );
  }

  #allows(address: string, host: string, port: number): boolean {
    if (this.#entries.length === 0 || !ipaddr.isValid(address)) return false;
    // A mapped address is the IPv4 one on the wire, so it is compared as such.
    const parsed = ipaddr.process(address);
    return this.#entries.some((entry) => {
      if (entry.port !== null && entry.port !== port) return false;
      if (entry.kind === 'name') return entry.name === bareName(host);
      return parsed.kind() === entry.range[0].kind() && parsed.match(entry.range);
    });
  }
}

/** Reads one entry of the allow-list, or throws an `AllowEntryError`. */
export function readAllowEntry(text: string): AllowEntry {
  const entry = text.trim();
  const plain = readRange(entry);
  if (plain) return { kind: 'range', range: plain, port: null };
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry);
  const port = parts?.[3] === undefined ? null : Number(parts[3]);
  const host = parts?.[1] ?? parts?.[2];
  if (host === undefined || (port !== null && (port < 1 || port > 65535))) throw new AllowEntryError(text);
  const range = readRange(host);
  if (range) return { kind: 'range', range, port };
  if (parts?.[1] !== undefined || !/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(host) || /^[\d.]+$/.test(host))
    throw new AllowEntryError(text);
  return { kind: 'name', name: bareName(host), port };
}

function readRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  if (!isAddress || text.includes('%')) return null;
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Names are compared without letter case and without the dot of the root. */
function bareName(host: string): string {
  return host.toLowerCase().replace(/\.+$/, '');
}
