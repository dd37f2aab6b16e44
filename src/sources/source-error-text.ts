import type { SourceErrorKind } from './source.ts';

const ERROR_DESCRIPTIONS: Readonly<Record<Exclude<SourceErrorKind, 'blocked_address'>, string>> = {
  not_found: 'There is no feed at this address',
  gone: 'The publisher has removed this feed permanently',
  forbidden: 'The server refuses access',
  rate_limited: 'The server limits the rate of requests',
  server_error: 'The server reported an internal error',
  timeout: 'The server did not answer in time',
  unreachable: 'The server is unreachable',
  not_a_feed: 'There is no feed at this address',
  too_large: 'The feed is too large',
  bad_answer: 'The response is invalid',
  quota: 'The daily quota is used up',
};

/** The error of a source as a sentence for a person. */
export function describeSourceError(why: SourceErrorKind, detail: string): string {
  // What is blocked says so itself, and how to allow it.
  return why === 'blocked_address' ? detail : `${ERROR_DESCRIPTIONS[why]} (${detail})`;
}

/** The detail that `describeSourceError` was given, for a client with its own text for the kind of error. */
export function causeOfSourceError(why: SourceErrorKind, described: string): string {
  const before = why === 'blocked_address' ? '' : `${ERROR_DESCRIPTIONS[why]} (`;
  const isDescribed = before !== '' && described.startsWith(before) && described.endsWith(')');
  return isDescribed ? described.slice(before.length, -1) : described;
}
