import type { FetchErrorKind } from './fetcher.ts';

export interface ClassifiedError {
  readonly why: FetchErrorKind;
  readonly detail: string;
  /** A sign that it may be our own network: `strong` when no answer came from anywhere at all. */
  readonly symptom: 'strong' | 'weak' | null;
}

type Row = readonly [why: FetchErrorKind, words: string, symptom?: 'strong' | 'weak'];

const byCode: Readonly<Record<string, Row>> = {
  ENOTFOUND: ['dns', 'the name does not exist', 'weak'],
  ENODATA: ['dns', 'the name has no address', 'weak'],
  EAI_AGAIN: ['dns', 'no answer from DNS', 'strong'],
  EAI_FAIL: ['dns', 'DNS failed', 'strong'],
  ESERVFAIL: ['dns', 'DNS failed', 'weak'],
  ETIMEOUT: ['dns', 'no answer from DNS', 'strong'],
  ECONNREFUSED: ['refused', 'refuses connections'],
  ENETUNREACH: ['refused', 'its network is unreachable', 'strong'],
  EHOSTUNREACH: ['refused', 'it is unreachable', 'strong'],
  ENETDOWN: ['refused', 'the network is down', 'strong'],
  EADDRNOTAVAIL: ['refused', 'its network is unreachable', 'strong'],
  ETIMEDOUT: ['timeout', 'does not answer', 'weak'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'does not answer', 'weak'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'accepted the request and sent no answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'stopped in the middle of its answer'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'sent headers beyond the limit'],
  HPE_HEADER_OVERFLOW: ['too_large', 'sent headers beyond the limit'],
  ECONNRESET: ['reset', 'broke the connection'],
  EPIPE: ['reset', 'broke the connection'],
  UND_ERR_SOCKET: ['reset', 'broke the connection'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['reset', 'sent a body of another length than announced'],
  CERT_HAS_EXPIRED: ['tls', 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['tls', 'its certificate is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'its certificate is for another name'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'its certificate is self-signed'],
  EPROTO: ['tls', 'has no supported version of TLS'],
};

/**
 * Classifies a network error. Its message is not passed on: it may contain a path or a header (X7).
 */
export function classifyError(error: unknown, host: string): ClassifiedError {
  const code = codeOf(error);
  if (code === 'BLOCKED_ADDRESS')
    return { why: 'blocked_address', detail: error instanceof Error ? error.message : host, symptom: null };
  const [why, words, symptom] = lookUpError(code);
  return { why, detail: `${host}: ${words}`, symptom: symptom ?? null };
}

function lookUpError(code: string): Row {
  const row = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  if (row) return row;
  if (code.startsWith('HPE_')) return ['reset', 'answered with something that is not HTTP'];
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code))
    return ['tls', `its certificate is not trusted (${code})`];
  if (/^ERR_(SSL|TLS)/.test(code)) return ['tls', 'has no supported version of TLS'];
  if (code.startsWith('EAI_')) return ['dns', 'DNS failed', 'weak'];
  return ['reset', 'the request failed'];
}

/** An error may wrap several: one for each address that was tried. */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 3) return '';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0], depth + 1);
  return codeOf(error.cause, depth + 1);
}
