import ipaddr from 'ipaddr.js';
import { AddressPolicy, bareHost, checkTarget } from '../src/fetch/address-policy.ts';
import { nextHop } from '../src/fetch/http-headers.ts';
import { redactUrl } from '../src/fetch/redact-url.ts';

const policy = new AddressPolicy([]);

/** Seed inputs. */
export const seeds: readonly string[] = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://example.com@169.254.169.254/',
  'http://１２７.０.０.１/',
  'http://localhost./feed?key=secret#x',
  'https://user:pass@example.com:8443/webhooks/1/token',
  'http://10.0.0.1:6379/',
  '//192.168.0.1/x',
  'javascript:alert(1)',
];

/**
 * For any input the guard returns without throwing, and nothing that it allows leads to an address that
 * is not public. The check is repeated here, from the address that the URL parser returns and with ranges
 * written down independently.
 */
export function target(data: Uint8Array | string): void {
  const text = typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
  for (const found of [
    checkTarget(text, policy),
    nextHop(302, text, new URL('http://public.example/a/b'), policy),
  ]) {
    if (!found?.ok) continue;
    const { url } = found;
    if (!/^https?:$/.test(url.protocol)) throw new Error(`let through ${url.protocol}`);
    if (url.username !== '' || url.password !== '') throw new Error('let credentials through');
    const again = new URL(url.href);
    if (again.href !== url.href) throw new Error('reads differently the second time');
    const host = bareHost(again);
    if (ipaddr.isValid(host) && isInside(host)) throw new Error(`let ${host} through`);
  }
  const shown = redactUrl(text);
  const password = URL.parse(text)?.password;
  if (password && password.length > 6 && shown.includes(password)) throw new Error('shows a password');
}

const INSIDE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map((range) => ipaddr.IPv4.parseCIDR(range));
const EMBEDDING_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

function isInside(host: string): boolean {
  const address = ipaddr.parse(host);
  if (address instanceof ipaddr.IPv4) return INSIDE_V4.some((range) => address.match(range));
  const [first = 0] = address.parts;
  return first < 0x2000 || first > 0x3fff || EMBEDDING_V6.some((range) => address.match(range));
}
