import type { FetchOutcome } from '../../reading/fetcher.ts';
import { jsonObject, withoutAnswer, wordsOf } from '../json-answer.ts';
import type { SendOutcome } from '../publisher.ts';

const SNOWFLAKE = /^\d{17,20}$/;

/** What an answer of Discord's means for the message; `check` says what a person should look at when it is refused. */
export function outcomeOf(answer: FetchOutcome, check: string): SendOutcome {
  if (answer.outcome === 'failed') return withoutAnswer('Discord', answer);
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    const id = snowflakeOf(jsonObject(body)?.id);
    if (id !== null) return { outcome: 'sent', remoteId: id };
    return { outcome: 'unknown', detail: `Discord answered ${status} without a message ID` };
  }
  const detail = `Discord answered ${status}${wordsOf(body, 'message')}`;
  if (status === 429) return { outcome: 'held', detail, until: answer.retryAt };
  // Hammering with a dead key gets the whole address blocked, so the destination rests.
  if (status === 401 || status === 403 || status === 404) {
    return { outcome: 'held', detail: `${detail}: check ${check}`, until: null };
  }
  if (status >= 400 && status < 500 && status !== 408) return { outcome: 'refused', detail };
  return { outcome: 'unknown', detail };
}

export function snowflakeOf(value: unknown): string | null {
  return typeof value === 'string' && SNOWFLAKE.test(value) ? value : null;
}
