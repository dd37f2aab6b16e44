import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';

export type Target =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly why: 'bad_address' | 'blocked_address'; readonly detail: string };

const LONGEST_URL = 8192;

/**
 * Checks an address before anything is sent: what it is written as, and where it leads if it is a literal. The URL
 * parser turns every odd way of writing an IPv4 address into the plain one, so the check sees what would be reached.
 */
export function checkTarget(text: string, policy: AddressPolicy, base?: URL): Target {
  if (text.length > LONGEST_URL) return bad('the address is too long');
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return bad('not an address that can be read');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return bad(`only http and https are read, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== '' || url.password !== '')
    return bad('an address with a user name or password is not used');
  if (url.hostname === '') return bad('the address has no host');
  const host = bareHost(url);
  const port = portOf(url);
  if (port === 0) return bad('port 0 is no port');
  if (isIP(host) !== 0) {
    const objection = policy.objection(host, host, port);
    if (objection !== null) return { ok: false, why: 'blocked_address', detail: objection };
  } else {
    if (!isName(host)) return bad('the host is no name that can be looked up');
    if (!policy.couldReach(host, port))
      return { ok: false, why: 'blocked_address', detail: `port ${port} is not a web port` };
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

/** What DNS can hold: labels of 1 to 63 characters, 253 in all; a dot at the end is the root. */
function isName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return (
    name.length > 0 &&
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  );
}

function bad(detail: string): Target {
  return { ok: false, why: 'bad_address', detail };
}
