import type { FetchOutcome } from '../reading/fetcher.ts';
import type { EditOutcome, ReadBackOutcome, SendOutcome } from './publisher.ts';

type Response = Extract<FetchOutcome, { outcome: 'response' }>;

/** How one service answers. */
export interface ServiceWays {
  readonly name: string;
  /** What a person should look at when the service does not accept our key. */
  readonly check: string;
  /** The message's ID in an answer that says it was taken; `null` where there is none. */
  idOf(answer: Response): { readonly remoteId: string; readonly url?: string } | null;
  /** The service's own words about an error. */
  wordsOf(answer: Response): string | undefined;
  /** Whether a 404 means that this one message is gone, and not all of the place. */
  isMessageGone?(answer: Response): boolean;
  /** When a rate limit ends, where the service says so in a way of its own. */
  limitEnds?(answer: Response): number | null;
}

/**
 * What an answer means for the message. Only an answer that says so counts as sent; only one that cannot have had an effect
 * counts as refused or held; everything else is unknown (X2).
 */
export function sendOutcome(answer: FetchOutcome, service: ServiceWays): SendOutcome {
  const { name, check } = service;
  if (answer.outcome === 'failed') {
    const detail = `${name} could not be reached (${answer.why}): ${answer.detail}`;
    return answer.sent
      ? { outcome: 'unknown', detail }
      : { outcome: 'held', detail, until: null, unreachable: true };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const id = service.idOf(answer);
    return id === null
      ? { outcome: 'unknown', detail: `${name} answered ${status} without an ID for the message` }
      : { outcome: 'sent', ...id };
  }
  const words = service.wordsOf(answer)?.slice(0, 200);
  const detail = `${name} answered ${status}${words === undefined ? '' : ` (${words})`}`;
  if (status === 429)
    return { outcome: 'held', detail, until: service.limitEnds?.(answer) ?? answer.retryAt };
  // Hammering with a dead key gets the whole address blocked, so the destination rests.
  if (status === 401 || status === 403 || status === 404) {
    return { outcome: 'held', detail: `${detail}: check ${check}`, until: null };
  }
  if (status >= 300 && status < 500 && status !== 408) return { outcome: 'refused', detail };
  return { outcome: 'unknown', detail };
}

/** What an answer to an edit means. An edit can be made again, so whatever tells nothing is simply tried again. */
export function editOutcome(answer: FetchOutcome, service: ServiceWays): EditOutcome {
  const sent = sendOutcome(answer, service);
  if (answer.outcome === 'response' && answer.status === 404 && service.isMessageGone?.(answer) === true)
    return { outcome: 'gone', detail: `${service.name} has the message no more` };
  switch (sent.outcome) {
    case 'sent':
      return { outcome: 'edited' };
    case 'refused':
      return sent;
    case 'held':
      return { outcome: 'later', detail: sent.detail, until: sent.until };
    case 'unknown':
      return { outcome: 'later', detail: sent.detail, until: null };
  }
}

/** Reading back did not work this time. */
export function cannotTell(answer: FetchOutcome, name: string): ReadBackOutcome {
  const detail = answer.outcome === 'failed' ? answer.detail : `${name} answered ${answer.status}`;
  return { outcome: 'cannot_tell', detail, passing: true };
}

/** The JSON in a body, or `undefined` where there is none (an HTML page, a cut-off answer). */
export function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** A field of the JSON object in a body, where it is a text that is not empty. */
export function textField(body: Uint8Array, field: string): string | undefined {
  const value = jsonIn(body);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  const text = (value as Record<string, unknown>)[field];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
