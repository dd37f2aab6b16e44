import { createHash } from 'node:crypto';
import type { ItemKey } from './item.ts';
import { isTracking } from './tracking-parameters.ts';

/** The parts of a web address as they were written, so that a rule changes the one it names and no other. */
export interface Address {
  readonly scheme: string;
  readonly host: string;
  /** Digits; `null` where there is no colon. */
  readonly port: string | null;
  /** Empty, or begins with a slash. */
  readonly path: string;
  /** What stands between the `&`s; `null` where there is no question mark. */
  readonly query: readonly string[] | null;
  /** Without its `#`; `null` where there is none. */
  readonly fragment: string | null;
}

const ADDRESS_PROBLEMS = [
  'empty',
  'too_long',
  'bad_character',
  'no_scheme',
  'not_http',
  'bad_host',
  'credentials',
] as const;
export type AddressProblem = (typeof ADDRESS_PROBLEMS)[number];

/** Why this is no address that an item can have. The detail never repeats the address: it may contain a password. */
export interface BadAddress {
  readonly outcome: 'bad_address';
  readonly why: AddressProblem;
  readonly detail: string;
}

const MAX_ADDRESS_BYTES = 8192;

const PARTS = /^(https?):[\\/]*([^\\/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/isu;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d*))?$/u;

/** Parses an address as browsers would (space around and inside, line breaks, backslashes), or returns why it is invalid. */
export function parseAddress(text: string): { readonly outcome: 'address'; address: Address } | BadAddress {
  if (Buffer.byteLength(text) > MAX_ADDRESS_BYTES)
    return badAddress('too_long', `the address is longer than ${MAX_ADDRESS_BYTES} bytes`);
  if (!text.isWellFormed())
    return badAddress('bad_character', 'the address holds half of a character (a lone surrogate)');
  const input = text
    .replace(/[\t\r\n]/g, '')
    .trim()
    .replace(/\s/gu, encodeURIComponent);
  if (input === '') return badAddress('empty', 'the address is empty');
  if (hasControl(input)) return badAddress('bad_character', 'the address holds a control character');

  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(input)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return badAddress('no_scheme', 'the address does not begin with http:// or https://');
  if (scheme !== 'http' && scheme !== 'https')
    return badAddress(
      'not_http',
      `the address begins with ${scheme.slice(0, 20)}:, not with http:// or https://`,
    );

  const parts = PARTS.exec(input);
  const authority = parts?.[2] ?? '';
  if (authority.includes('@'))
    return badAddress('credentials', 'the address has a user name or a password inside');
  const hostAndPort = HOST_AND_PORT.exec(authority);
  if (!parts || !hostAndPort || !URL.canParse(input))
    return badAddress('bad_host', 'the address has no valid host name and port after http:// or https://');

  return {
    outcome: 'address',
    address: {
      scheme: parts[1] ?? '',
      host: hostAndPort[1] ?? '',
      port: hostAndPort[2] ?? null,
      path: (parts[3] ?? '').replaceAll('\\', '/'),
      query: parts[4]?.split('&') ?? null,
      fragment: parts[5] ?? null,
    },
  };
}

/** Puts the parts together again. */
export function formatAddress(address: Address): string {
  const { scheme, host, port, path, query, fragment } = address;
  return [
    `${scheme}://${host}`,
    port === null ? '' : `:${port}`,
    path,
    query === null ? '' : `?${query.join('&')}`,
    fragment === null ? '' : `#${fragment}`,
  ].join('');
}

function badAddress(why: AddressProblem, detail: string): BadAddress {
  return { outcome: 'bad_address', why, detail };
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/**
 * Which addresses are one article (X3). `IDENTITY_RULES` is complete, in the order of application; each rule
 * can be switched off by its name, and then leaves its aspect of the address as it was written.
 */
export type RuleName =
  | 'letterCase'
  | 'hostForm'
  | 'defaultPort'
  | 'percentEncoding'
  | 'dotSegments'
  | 'trailingSlash'
  | 'trackingParameters'
  | 'parameterOrder'
  | 'fragment';

/** `false` switches a rule off; what is not named is on. */
export type RuleSwitches = Readonly<Partial<Record<RuleName, boolean>>>;

export interface IdentityRule {
  readonly name: RuleName;
  /** Human-readable: what is treated as equal. */
  readonly says: string;
  readonly example: readonly [written: string, canonical: string];
  apply(address: Address): Address;
}

export const IDENTITY_RULES: readonly IdentityRule[] = [
  {
    name: 'letterCase',
    says: 'Letter case of the scheme and the host does not matter.',
    example: ['HTTPS://Example.ORG/A', 'https://example.org/A'],
    apply: (address) => ({
      ...address,
      scheme: address.scheme.toLowerCase(),
      host: address.host.toLowerCase(),
    }),
  },
  {
    name: 'hostForm',
    says: 'An international host name is the same as its ASCII form, a number the same as its usual form.',
    example: ['https://瓦版.example/a', 'https://xn--i1xt9c.example/a'],
    apply: (address) => {
      const { hostname } = new URL(`http://${address.host}/`);
      return hostname === address.host.toLowerCase() ? address : { ...address, host: hostname };
    },
  },
  {
    name: 'defaultPort',
    says: 'Port 80 of http and port 443 of https need not be written.',
    example: ['https://example.org:443/a', 'https://example.org/a'],
    apply: (address) => {
      if (address.port === null) return address;
      const port = address.port.replace(/^0+(?=\d)/, '');
      const usual = address.scheme.toLowerCase() === 'https' ? '443' : '80';
      return { ...address, port: port === '' || port === usual ? null : port };
    },
  },
  {
    name: 'percentEncoding',
    says: 'A character is the same written out or with % where that cannot change the meaning.',
    example: ['https://example.org/%7ea%2fb?q=é', 'https://example.org/~a%2Fb?q=%C3%A9'],
    apply: (address) => ({
      ...address,
      path: normaliseEscapes(address.path),
      query: address.query?.map(normaliseEscapes) ?? null,
      fragment: address.fragment === null ? null : normaliseEscapes(address.fragment),
    }),
  },
  {
    name: 'dotSegments',
    says: '. and .. in the path are walked.',
    example: ['https://example.org/a/./b/../c', 'https://example.org/a/c'],
    apply: (address) => ({ ...address, path: removeDotSegments(address.path) }),
  },
  {
    name: 'trailingSlash',
    says: 'Slashes at the end of the path do not matter; a host alone has the path /.',
    example: ['https://example.org/a/', 'https://example.org/a'],
    apply: (address) => ({ ...address, path: address.path.replace(/\/+$/, '') || '/' }),
  },
  {
    name: 'trackingParameters',
    says: 'Parameters that say how a reader got here do not matter, nor do empty ones (see tracking-parameters.ts).',
    example: ['https://example.org/a?id=7&utm_source=rss&fbclid=x', 'https://example.org/a?id=7'],
    apply: (address) => {
      const host = address.host.toLowerCase();
      const query = address.query?.filter((part) => {
        const [name, value] = nameAndValue(part);
        return part !== '' && !isTracking(host, name, value);
      });
      return { ...address, query: query === undefined || query.length === 0 ? null : query };
    },
  },
  {
    name: 'parameterOrder',
    says: 'The order of parameters does not matter, except among those of one name.',
    example: ['https://example.org/a?b=2&a=1', 'https://example.org/a?a=1&b=2'],
    apply: (address) => {
      // A query of another form (`?2026/08/01`, `?next`) may well mean its order.
      if (!address.query?.every((part) => part.indexOf('=') > 0)) return address;
      const sorted = address.query.toSorted((one, other) =>
        compare(nameAndValue(one)[0], nameAndValue(other)[0]),
      );
      return { ...address, query: sorted };
    },
  },
  {
    name: 'fragment',
    says: 'What follows # is a place within the page, except after #!, which names a page.',
    example: ['https://example.org/a#comments', 'https://example.org/a'],
    apply: (address) => (address.fragment?.startsWith('!') ? address : { ...address, fragment: null }),
  },
];

export type CanonicalUrl = { readonly outcome: 'canonical'; readonly url: string } | BadAddress;

/** The one address that stands for all addresses of the same article. */
export function canonicalUrl(url: string, switches: RuleSwitches = {}): CanonicalUrl {
  const read = parseAddress(url);
  if (read.outcome === 'bad_address') return read;
  let address = read.address;
  for (const rule of IDENTITY_RULES) if (switches[rule.name] !== false) address = rule.apply(address);
  return { outcome: 'canonical', url: formatAddress(escapeOwnFragment(address)) };
}

export type Identified =
  | { readonly outcome: 'identified'; readonly key: ItemKey; readonly url: string }
  | BadAddress;

/**
 * The key of an item. `foreignId` is given only where the link alone does not tell the items of a feed apart (X19);
 * it then becomes a fragment of our own behind the canonical address.
 */
export function itemKey(
  url: string,
  sighting: { readonly foreignId?: string } = {},
  switches: RuleSwitches = {},
): Identified {
  const canonical = canonicalUrl(url, switches);
  if (canonical.outcome === 'bad_address') return canonical;
  const id = sighting.foreignId?.trim() ?? '';
  const key = id === '' ? canonical.url : `${canonical.url}#item=${encodeForeignId(id)}`;
  return { outcome: 'identified', key: key as ItemKey, url: canonical.url };
}

/**
 * The address under which the original programs recorded an item: as the source gave it. `null` where that is the key itself,
 * or where the link alone does not tell the items of a feed apart.
 */
export function originalUrl({ key, url }: { readonly key: string; readonly url: string }): string | null {
  return url === key || url === '' || key.includes('#item=') ? null : url;
}

const MAX_FOREIGN_ID_LENGTH = 500;

function encodeForeignId(id: string): string {
  const encoded = encodeURIComponent(id.toWellFormed());
  if (encoded.length <= MAX_FOREIGN_ID_LENGTH) return encoded;
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/** A fragment can neither contain a second `#` nor resemble our own, so no page can take another item's key. */
function escapeOwnFragment(address: Address): Address {
  if (address.fragment === null) return address;
  return { ...address, fragment: address.fragment.replaceAll('#', '%23').replace(/^item=/, '%69tem=') };
}

const ESCAPE_OR_CHARACTER = /%[0-9a-f]{2}|./gisu;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
/** What stands for itself in a path or query: RFC 3986's reserved characters, and those browsers leave alone. */
const UNESCAPED = /^[A-Za-z0-9._~!$&'()*+,;=:@/?[\]|^-]$/;

function normaliseEscapes(text: string): string {
  return text.replace(ESCAPE_OR_CHARACTER, (piece) => {
    if (piece.length === 3 && piece.startsWith('%')) {
      const character = String.fromCharCode(Number.parseInt(piece.slice(1), 16));
      return UNRESERVED.test(character) ? character : piece.toUpperCase();
    }
    return UNESCAPED.test(piece) ? piece : escapeCharacter(piece);
  });
}

function escapeCharacter(character: string): string {
  return Buffer.from(character).reduce(
    (all, byte) => `${all}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    '',
  );
}

function removeDotSegments(path: string): string {
  const segments = path.split('/').slice(1);
  const walked: string[] = [];
  segments.forEach((segment, index) => {
    const dots = segment.replace(/%2e/gi, '.');
    if (dots !== '.' && dots !== '..') {
      walked.push(segment);
      return;
    }
    if (dots === '..') walked.pop();
    if (index === segments.length - 1) walked.push('');
  });
  return segments.length === 0 ? path : `/${walked.join('/')}`;
}

function nameAndValue(part: string): [name: string, value: string] {
  const at = part.indexOf('=');
  return at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // Not UTF-8: compared as it is written.
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
