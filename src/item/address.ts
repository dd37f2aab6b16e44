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

/** Why this is no address that an item can have. The words never repeat the address: it may hold a password. */
export interface BadAddress {
  readonly outcome: 'bad_address';
  readonly why: AddressProblem;
  readonly detail: string;
}

const LONGEST_ADDRESS = 8192;

const PARTS = /^(https?):[\\/]*([^\\/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/isu;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d*))?$/u;

/** Takes an address apart, as browsers would (space around and inside, line breaks, backslashes), or says why not. */
export function readAddress(text: string): { readonly outcome: 'address'; address: Address } | BadAddress {
  if (Buffer.byteLength(text) > LONGEST_ADDRESS)
    return bad('too_long', `the address is longer than ${LONGEST_ADDRESS} bytes`);
  if (!text.isWellFormed())
    return bad('bad_character', 'the address holds half of a character (a lone surrogate)');
  const input = text
    .replace(/[\t\r\n]/g, '')
    .trim()
    .replace(/\s/gu, encodeURIComponent);
  if (input === '') return bad('empty', 'the address is empty');
  if (hasControl(input)) return bad('bad_character', 'the address holds a control character');

  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(input)?.[1]?.toLowerCase();
  if (scheme === undefined) return bad('no_scheme', 'the address does not begin with http:// or https://');
  if (scheme !== 'http' && scheme !== 'https')
    return bad('not_http', `the address begins with ${scheme.slice(0, 20)}:, not with http:// or https://`);

  const parts = PARTS.exec(input);
  const authority = parts?.[2] ?? '';
  if (authority.includes('@')) return bad('credentials', 'the address has a user name or a password inside');
  const hostAndPort = HOST_AND_PORT.exec(authority);
  if (!parts || !hostAndPort || !URL.canParse(input))
    return bad('bad_host', 'the address has no valid host name and port after http:// or https://');

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
export function writeAddress(address: Address): string {
  const { scheme, host, port, path, query, fragment } = address;
  return [
    `${scheme}://${host}`,
    port === null ? '' : `:${port}`,
    path,
    query === null ? '' : `?${query.join('&')}`,
    fragment === null ? '' : `#${fragment}`,
  ].join('');
}

function bad(why: AddressProblem, detail: string): BadAddress {
  return { outcome: 'bad_address', why, detail };
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
