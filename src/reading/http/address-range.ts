import ipaddr from 'ipaddr.js';

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
