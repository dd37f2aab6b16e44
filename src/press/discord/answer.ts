import type { Clock } from '../../time/clock.ts';
import { jsonIn, type ServiceWays, textField } from '../answer.ts';
import { limitEnds } from './limits.ts';

const SNOWFLAKE = /^\d{17,20}$/;

/** How Discord answers, whichever way we speak to it. */
export function discordWays(check: string, clock: Clock): ServiceWays {
  return {
    name: 'Discord',
    check,
    idOf({ body }) {
      const remoteId = messageId(jsonIn(body));
      return remoteId === null ? null : { remoteId };
    },
    wordsOf: ({ body }) => textField(body, 'message'),
    limitEnds: (answer) => limitEnds(answer, clock.now()),
  };
}

/** A post in a forum answers with its thread, which carries the message. */
function messageId(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  if ('message' in answer && typeof answer.message === 'object') return messageId(answer.message);
  return 'id' in answer ? snowflakeOf(answer.id) : null;
}

export function snowflakeOf(value: unknown): string | null {
  return typeof value === 'string' && SNOWFLAKE.test(value) ? value : null;
}
