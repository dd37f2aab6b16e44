import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in its shortest form: an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is IPv4. */
export function plainAddress(ip: string): string {
  return isIPv6(ip) ? ipaddr.process(ip).toString() : ip;
}

/** What a rate limit counts by: an IPv4 address, or the /64 of an IPv6 address, which one household has to itself. */
export function clientNetwork(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
