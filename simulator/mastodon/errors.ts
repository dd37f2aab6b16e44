import type { Reply } from '../net/exchange.ts';
import { html, json } from '../net/reply.ts';

export const invalidToken = (): Reply => json({ error: 'The access token is invalid' }, 401);
export const notFound = (): Reply => json({ error: 'Record not found' }, 404);
export const noEndpoint = (): Reply => json({ error: 'Not Found' }, 404);
export const forbidden = (): Reply => json({ error: 'This action is not allowed' }, 403);
export const invalid = (what: string): Reply => json({ error: `Validation failed: ${what}` }, 422);
export const badJson = (): Reply => json({ error: 'Bad Request' }, 400);

/** The response of an error status; the proxy in front of an instance answers some of them as a page. */
export function mastodonError(status: number, retryAfterMs = 60_000, now = 0): Reply {
  if (status === 429) {
    const reset = new Date(now + retryAfterMs).toISOString().replace('Z', '000Z');
    return json({ error: 'Too many requests' }, 429, {
      'x-ratelimit-limit': '300',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': reset,
    });
  }
  const known: Readonly<Record<number, Reply>> = {
    401: invalidToken(),
    403: forbidden(),
    404: notFound(),
    422: invalid('Text can’t be blank'),
    500: html('<!DOCTYPE html><title>We’re sorry, but something went wrong on our end.</title>', 500),
    503: json({ error: 'There was a temporary problem serving your request, please try again' }, 503),
  };
  return (
    known[status] ??
    html(`<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`, status)
  );
}
