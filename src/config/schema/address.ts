import { z } from 'zod';
import { Secret } from '../secret.ts';
import { choice, isGroup, section } from './section.ts';
import { shown } from './values.ts';

/** An http(s) address without a password in it. `what` names it, as in "the address of the feed". */
export function address(what: string) {
  return z
    .string({
      error: (issue) =>
        issue.input === undefined
          ? `is missing: write ${what}, such as https://example.com/feed.xml`
          : `must be ${what}, not ${shown(issue.input)}`,
    })
    .trim()
    .transform((written, context) => {
      const trouble = addressTrouble(written);
      if (trouble === null) return written;
      context.issues.push({
        code: 'custom',
        input: null,
        message: `${trouble}: write ${what}, with https:// in front`,
      });
      return z.NEVER;
    });
}

/** Why this is no address that may stand in the file, without repeating a password that is in it. */
function addressTrouble(written: string): string | null {
  const url = URL.parse(written);
  if (url === null || !/^https?:\/\//i.test(written))
    return `${mayHideSecret(written) ? 'this' : shown(written)} is no web address`;
  if (url.username !== '' || url.password !== '')
    return 'a user name or password in an address is a secret and may not stand here';
  if (isDiscordWebhook(url))
    return 'a Discord webhook address is a secret and may not stand here; write { env: NAME } or { file: path }';
  return null;
}

/** Half an address can still be a whole secret. */
function mayHideSecret(written: string): boolean {
  return /[@?=&#]|webhook|token|key/i.test(written);
}

function isDiscordWebhook(url: URL): boolean {
  return /(^|\.)discord(app)?\.com$/.test(url.hostname) && url.pathname.includes('/webhooks/');
}

/** `host:port` of a service that is no web address. */
export function hostAndPort(what: string) {
  const message = `must be ${what} as host:port, such as localhost:6379`;
  return z
    .string({
      error: (issue) => (issue.input === undefined ? `is missing: write ${what} as host:port` : message),
    })
    .trim()
    .regex(/^(\[[0-9a-f:.]+\]|[^\s:/@]+):\d{1,5}$/i, { error: message });
}

const LITERAL =
  'a secret may not be written into this file: write `{ env: NAME }` to take it from the environment variable NAME, or `{ file: path }` to read it from a file';

/** A secret: where it is kept, never the value. Messages of this schema do not repeat what stands in the file. */
export function secret(what: string) {
  return choice(
    {
      env: section({
        env: z
          .string({ error: 'must be the name of an environment variable, such as MY_TOKEN' })
          .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
            error:
              'must be the name of an environment variable in capital letters, such as MY_TOKEN, not the secret itself',
          })
          .describe('Name of the environment variable that holds the secret.'),
      }),
      file: section({
        file: z
          .string({ error: 'must be the path of a file that holds nothing but the secret' })
          .min(1, { error: 'must be the path of a file that holds nothing but the secret' })
          .describe('Path of a file that holds nothing but the secret, relative to this one.'),
      }),
    },
    (value) => {
      if (value === undefined)
        return { message: `is missing: write ${what} as \`{ env: NAME }\` or \`{ file: path }\`` };
      if (!isGroup(value)) return { message: LITERAL };
      if ('env' in value === 'file' in value)
        return { message: `write ${what} as either \`{ env: NAME }\` or \`{ file: path }\`` };
      return 'env' in value ? 'env' : 'file';
    },
  ).transform((place) => new Secret(place));
}

/** An address that may be a secret (a private webhook) or not. */
export function openOrSecretAddress(what: string) {
  return choice({ open: address(what), secret: secret(what) }, (value) =>
    isGroup(value) ? 'secret' : 'open',
  );
}
