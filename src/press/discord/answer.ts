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
    isMessageGone: ({ body }) => MESSAGE_OR_THREAD_GONE.includes(codeIn(body)),
    limitEnds: (answer) => limitEnds(answer, clock.now()),
  };
}

/** Unknown Message, and Unknown Channel: a post in a forum is a channel of its own. */
const MESSAGE_OR_THREAD_GONE: readonly unknown[] = [10008, 10003];

function codeIn(body: Uint8Array): unknown {
  const answer = jsonIn(body);
  return typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : null;
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
