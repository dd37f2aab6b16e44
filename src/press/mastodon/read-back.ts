import { DAY, MINUTE } from '../../time/duration.ts';
import { cannotTell } from '../answer.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { call, type MastodonAccount } from './api.ts';
import { entityIn, idOf } from './entity.ts';

/**
 * Looks for our link among the account's newest statuses. Our clock may be wrong, so it looks a day further back than the
 * first attempt, or as far as the pages reach.
 */
export async function readBack(
  options: MastodonAccount,
  message: OutgoingMessage,
  now: number,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const { link } = JSON.parse(message.body) as { readonly link: string };
  const triedAt = message.firstTriedAt ?? now;
  let reached = Number.POSITIVE_INFINITY;
  const account = await call(options, '/api/v1/accounts/verify_credentials', signal);
  const accountId = account.outcome === 'response' ? idOf(entityIn(account.body)) : null;
  if (accountId === null) return cannotTell(account, 'Mastodon');
  let below = '';
  for (let pages = 0; pages < 10; pages++) {
    const answer = await call(
      options,
      `/api/v1/accounts/${accountId}/statuses?limit=40&exclude_reblogs=true${below}`,
      signal,
    );
    const page = answer.outcome === 'response' && answer.status === 200 ? entityIn(answer.body) : undefined;
    if (!Array.isArray(page)) return cannotTell(answer, 'Mastodon');
    for (const status of page as Record<string, unknown>[]) {
      reached = Date.parse(String(status.created_at));
      if (reached < triedAt - DAY) return { outcome: 'absent' };
      if (carries(String(status.content), link)) {
        return {
          outcome: 'found',
          remoteId: String(status.id),
          ...(typeof status.url === 'string' && { url: status.url }),
        };
      }
    }
    const last = (page as Record<string, unknown>[]).at(-1);
    if (last === undefined) return { outcome: 'absent' };
    below = `&max_id=${encodeURIComponent(String(last.id))}`;
  }
  if (reached < triedAt - 5 * MINUTE) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'the account has posted too much since to look through it' };
}

/** Mastodon shows the status as HTML, with the address in `href`. */
function carries(html: string, link: string): boolean {
  const escaped = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return html.includes(`href="${escaped}"`) || html.includes(escaped);
}
