import { isIPv6 } from 'node:net';

/** An address in its shortest form: an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is IPv4. */
export function plainAddress(ip: string): string {
  const groups = groupsOf(ip);
  if (groups === null || !isMapped(groups)) return ip;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** What a rate limit counts by: an IPv4 address, or the /64 of an IPv6 address, which one household has to itself. */
export function clientNetwork(ip: string): string {
  const groups = groupsOf(ip);
  if (groups === null || isMapped(groups)) return plainAddress(ip);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an IPv6 address; `null` for anything else. */
function groupsOf(ip: string): readonly number[] | null {
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return null;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high = '0', low = '0'): string => ((Number(high) << 8) | Number(low)).toString(16);
  const whole = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : address;
  const [before = '', after] = whole.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [parse(before), parse(after ?? '')];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}
