import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Normalizes an address: an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes IPv4. */
export function plainAddress(ip: string): string {
  return isIPv6(ip) ? ipaddr.process(ip).toString() : ip;
}

/** Key of a rate limit: an IPv4 address, or the /64 of an IPv6 address, which belongs to one customer. */
export function clientNetwork(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
