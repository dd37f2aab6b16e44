import type { Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';

export const unauthorized = (): Reply => json({ message: '401: Unauthorized', code: 0 }, 401);
export const notFound = (): Reply => json({ message: '404: Not Found', code: 0 }, 404);
export const methodNotAllowed = (): Reply => json({ message: '405: Method Not Allowed', code: 0 }, 405);
export const unknownChannel = (): Reply => json({ message: 'Unknown Channel', code: 10003 }, 404);
export const unknownMessage = (): Reply => json({ message: 'Unknown Message', code: 10008 }, 404);
export const unknownWebhook = (): Reply => json({ message: 'Unknown Webhook', code: 10015 }, 404);
export const invalidWebhookToken = (): Reply => json({ message: 'Invalid Webhook Token', code: 50027 }, 401);
export const missingAccess = (): Reply => json({ message: 'Missing Access', code: 50001 }, 403);
export const missingPermissions = (): Reply => json({ message: 'Missing Permissions', code: 50013 }, 403);
export const emptyMessage = (): Reply => json({ message: 'Cannot send an empty message', code: 50006 }, 400);
export const foreignMessage = (): Reply =>
  json({ message: 'Cannot edit a message authored by another user', code: 50005 }, 403);
export const invalidJson = (): Reply =>
  json({ message: 'The request body contains invalid JSON.', code: 50109 }, 400);
export const needsThread = (): Reply =>
  json(
    { message: 'Webhooks posted to forum channels must have a thread_name or thread_id', code: 220001 },
    400,
  );
export const oneThreadOnly = (): Reply =>
  json(
    {
      message: 'Webhooks posted to forum channels cannot have both a thread_name and thread_id',
      code: 220002,
    },
    400,
  );
export const noForum = (): Reply =>
  json({ message: 'Webhooks can only create threads in forum channels', code: 220003 }, 400);
export const notATextChannel = (): Reply =>
  json({ message: 'Cannot send messages in a non-text channel', code: 50008 }, 400);

/** Where in the form something is wrong: `embeds.0.title`. */
export interface FormProblem {
  readonly at: string;
  readonly code: string;
  readonly message: string;
}

/** 50035, with the problems nested as Discord nests them. */
export function invalidForm(problems: readonly FormProblem[]): Reply {
  const errors: Tree = {};
  for (const { at, code, message } of problems) {
    let node: Tree = errors;
    for (const step of at.split('.')) node = branch(node, step);
    node._errors = [...(node._errors ?? []), { code, message }];
  }
  return json({ message: 'Invalid Form Body', code: 50035, errors }, 400);
}

interface Tree {
  _errors?: readonly { code: string; message: string }[];
  [step: string]: Tree | readonly { code: string; message: string }[] | undefined;
}

function branch(node: Tree, step: string): Tree {
  const existing = node[step];
  if (existing !== undefined && !Array.isArray(existing)) return existing as Tree;
  const made: Tree = {};
  node[step] = made;
  return made;
}

/** The response of an error status without a message of its own above. */
export function discordError(status: number, retryAfterMs = 1000): Reply {
  const seconds = retryAfterMs / 1000;
  if (status === 429) {
    return json({ message: 'You are being rate limited.', retry_after: seconds, global: false }, 429, {
      'retry-after': String(Math.ceil(seconds)),
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': seconds.toFixed(3),
      'x-ratelimit-bucket': '0123456789abcdef0123456789abcdef',
      'x-ratelimit-scope': 'user',
    });
  }
  const known: Readonly<Record<number, Reply>> = {
    401: unauthorized(),
    403: missingAccess(),
    404: notFound(),
    405: methodNotAllowed(),
  };
  if (status >= 502) {
    return {
      status,
      headers: { 'content-type': 'text/html; charset=UTF-8', server: 'cloudflare' },
      body: `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>`,
    };
  }
  return (
    known[status] ??
    json(
      { message: `${status}: ${status >= 500 ? 'Internal Server Error' : 'Bad Request'}`, code: 0 },
      status,
    )
  );
}
