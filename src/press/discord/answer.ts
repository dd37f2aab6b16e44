import { type ServiceWays, textField } from '../answer.ts';

const SNOWFLAKE = /^\d{17,20}$/;

/** How Discord answers, whichever way we speak to it. */
export function discordWays(check: string): ServiceWays {
  return {
    name: 'Discord',
    check,
    idOf({ body }) {
      const remoteId = snowflakeOf(textField(body, 'id'));
      return remoteId === null ? null : { remoteId };
    },
    wordsOf: ({ body }) => textField(body, 'message'),
  };
}

export function snowflakeOf(value: unknown): string | null {
  return typeof value === 'string' && SNOWFLAKE.test(value) ? value : null;
}
