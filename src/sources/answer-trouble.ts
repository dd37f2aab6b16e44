import type { FetchOutcome, FetchTrouble } from '../reading/fetcher.ts';
import type { SourceReading, SourceTrouble } from './source.ts';

type Failed = Extract<FetchOutcome, { outcome: 'failed' }>;
type Response = Extract<FetchOutcome, { outcome: 'response' }>;

const TROUBLES: Readonly<Record<Exclude<FetchTrouble, 'offline' | 'aborted'>, SourceTrouble>> = {
  bad_address: 'blocked_address',
  blocked_address: 'blocked_address',
  dns: 'unreachable',
  refused: 'unreachable',
  reset: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  too_large: 'too_large',
  too_many_redirects: 'bad_answer',
  bad_encoding: 'bad_answer',
  host_suspended: 'unreachable',
};

/** What a request without an answer means for a source. Throws the signal's reason when the reading was stopped. */
export function fetchTrouble(failed: Failed, signal: AbortSignal): SourceReading {
  if (failed.why === 'aborted') {
    signal.throwIfAborted();
    return { outcome: 'failed', why: 'timeout', detail: failed.detail };
  }
  if (failed.why === 'offline') return { outcome: 'offline', detail: failed.detail };
  return { outcome: 'failed', why: TROUBLES[failed.why], detail: failed.detail };
}

/** What an answer that is no success means for a source, in words for people. */
export function answerTrouble(answer: Response): SourceReading {
  const [why, detail] = statusTrouble(answer.status);
  return {
    outcome: 'failed',
    why,
    detail: `${detail} (status ${answer.status})`,
    ...(answer.retryAt === null ? {} : { retryAt: answer.retryAt }),
  };
}

function statusTrouble(status: number): [SourceTrouble, string] {
  if (status === 404) return ['not_found', 'nothing is there'];
  if (status === 410) return ['gone', 'it is gone for good'];
  if (status === 401 || status === 402 || status === 403 || status === 451)
    return ['forbidden', 'access was refused'];
  if (status === 429) return ['rate_limited', 'too many requests, says the server'];
  if (status >= 500) return ['server_error', 'the server failed'];
  return ['bad_answer', 'an answer that makes no sense for a feed'];
}
