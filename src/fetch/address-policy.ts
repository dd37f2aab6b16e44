import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperationalError } from '../telemetry/errors.ts';

/** The one range of IPv6 that is given out to the public; everything outside it is special or unassigned. */
const PUBLIC_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The name of the special range that an IP address lies in, or `null` for an address of the public internet. An
 * unknown form is special: what is not known to be public is not reached.
 */
export function specialRange(address: string): string | null {
  if (!ipaddr.isValid(address) || address.includes('%')) return 'unreadable';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (parsed instanceof ipaddr.IPv6) {
    if (range !== 'unicast') return range;
    return parsed.match(PUBLIC_V6) ? null : 'unassigned';
  }
  return range === 'unicast' ? null : range;
}

/**
 * Ports above 1023 of other protocols that attackers try to reach through us: databases, caches, container and cluster
 * control, mail, X11, and those that browsers refuse.
 */
const OTHER_SERVICES: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 4369, 5060,
  5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8500, 9042,
  9092, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 16379, 26379, 27017, 27018, 50070,
]);

/** Web servers live on 80, 443 and above 1023. Other ports need an entry in the allow-list. */
export function isWebPort(port: number): boolean {
  if (port === 80 || port === 443) return true;
  return port > 1023 && !OTHER_SERVICES.has(port);
}

export type Target =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly why: 'bad_address' | 'blocked_address'; readonly detail: string };

const MAX_URL_LENGTH = 8192;

/**
 * Checks an address before anything is sent: what it is written as, and where it leads if it is a literal. The URL
 * parser turns every odd way of writing an IPv4 address into the plain one, so the check sees what would be reached.
 */
export function checkTarget(text: string, policy: AddressPolicy, base?: URL): Target {
  if (text.length > MAX_URL_LENGTH) return badTarget('the address is too long');
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return badTarget('not an address that can be read');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return badTarget(`only http and https are read, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== '' || url.password !== '')
    return badTarget('an address with a user name or password is not used');
  if (url.hostname === '') return badTarget('the address has no host');
  const host = bareHost(url);
  const port = portOf(url);
  if (port === 0) return badTarget('port 0 is not a port');
  if (isIP(host) !== 0) {
    const objection = policy.objection(host, host, port);
    if (objection !== null) return { ok: false, why: 'blocked_address', detail: objection };
  } else {
    if (!isName(host)) return badTarget('the host is not a name that can be resolved');
    const objection = policy.portObjection(host, port);
    if (objection !== null) return { ok: false, why: 'blocked_address', detail: objection };
  }
  url.hash = '';
  return { ok: true, url };
}

/** The host without the brackets of an IPv6 literal. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Limits of DNS: labels of 1 to 63 characters, 253 in all; a dot at the end is the root. */
function isName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return (
    name.length > 0 &&
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  );
}

function blockedPort(host: string, port: number): string {
  const entry = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return `Port ${port} is blocked, since web servers do not use it; to allow it, add \`${entry}\` to \`network.allow\``;
}

function badTarget(detail: string): Target {
  return { ok: false, why: 'bad_address', detail };
}

/** An invalid entry of the allow-list. */
export class AllowEntryError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'AllowEntryError';
  readonly entry: string;

  constructor(entry: string) {
    super(
      `"${entry}" is not an address to allow: write 10.1.2.3, 10.0.0.0/8, fd00::/8, 127.0.0.1:8080, [::1]:8080, name or name:8080`,
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

const MAX_CACHED_DECISIONS = 1000;

/**
 * Which addresses may be reached (X6). Public ones on web ports, and what the configuration allows by address, range
 * or name; the allow-list is empty by default.
 */
export class AddressPolicy {
  readonly #entries: readonly AllowEntry[];
  /** The list never changes, so results can be cached. */
  readonly #cached = new Map<string, string | null>();

  constructor(allow: readonly string[]) {
    this.#entries = allow.map(readAllowEntry);
  }

  /** Why this address is blocked for this host and port, or `null` if it may be reached. */
  objection(address: string, host: string, port: number): string | null {
    const key = `${address} ${host} ${port}`;
    let known = this.#cached.get(key);
    if (known === undefined) {
      known = this.#judge(address, host, port);
      if (this.#cached.size >= MAX_CACHED_DECISIONS) this.#cached.clear();
      this.#cached.set(key, known);
    }
    return known;
  }

  #judge(address: string, host: string, port: number): string | null {
    const special = specialRange(address);
    if (special === null && isWebPort(port)) return null;
    if (this.#allows(address, host, port)) return null;
    if (special === null) return blockedPort(host, port);
    const leadsTo = address === host ? '' : `, and ${host} leads to ${address}`;
    return `Private addresses are blocked${leadsTo}; to allow this one, add \`${host}\` to \`network.allow\``;
  }

  /** Why no address behind this name can be reached on this port, before its addresses are known; otherwise `null`. */
  portObjection(host: string, port: number): string | null {
    if (isWebPort(port)) return null;
    const couldReach = this.#entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.kind === 'range' || entry.name === bareName(host)),
    );
    return couldReach ? null : blockedPort(host, port);
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
