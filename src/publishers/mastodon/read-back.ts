import { DAY, MINUTE } from '../../time/duration.ts';
import { isSameText, type Similarity } from '../plain-text.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { readBackFailed } from '../service-response.ts';
import { callMastodon, entityId, type MastodonAccount, parseEntity } from './api.ts';
import { linkWithoutMention } from './status.ts';

interface OurStatus {
  readonly status: string;
  readonly link: string;
}

/**
 * Searches the account's newest statuses for ours, by text and link. The search goes back to a day before the first attempt,
 * since our clock may be wrong, or as far as the pages reach.
 */
export async function readBackStatus(
  options: MastodonAccount,
  message: OutgoingMessage,
  now: number,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const ours = JSON.parse(message.body) as OurStatus;
  let alike = false;
  const triedAt = message.firstTriedAt ?? now;
  let reached = Number.POSITIVE_INFINITY;
  const account = await callMastodon(options, '/api/v1/accounts/verify_credentials', signal);
  const accountId = account.outcome === 'response' ? entityId(parseEntity(account.body)) : null;
  if (accountId === null) return readBackFailed(account, 'Mastodon');
  let below = '';
  for (let pages = 0; pages < 10; pages++) {
    const answer = await callMastodon(
      options,
      `/api/v1/accounts/${accountId}/statuses?limit=40&exclude_reblogs=true${below}`,
      signal,
    );
    const page =
      answer.outcome === 'response' && answer.status === 200 ? parseEntity(answer.body) : undefined;
    if (!Array.isArray(page)) return readBackFailed(answer, 'Mastodon');
    for (const status of page as Record<string, unknown>[]) {
      reached = Date.parse(String(status.created_at));
      if (reached < triedAt - DAY) return notFoundOutcome(alike);
      const likeness = compareStatus(String(status.content), ours);
      if (likeness === 'alike') alike = true;
      if (likeness === 'same' || (likeness === 'alike' && message.sentBefore)) {
        return {
          outcome: 'found',
          remoteId: String(status.id),
          ...(typeof status.url === 'string' && { url: status.url }),
        };
      }
    }
    const last = (page as Record<string, unknown>[]).at(-1);
    if (last === undefined) return notFoundOutcome(alike);
    below = `&max_id=${encodeURIComponent(String(last.id))}`;
  }
  if (reached < triedAt - 5 * MINUTE) return notFoundOutcome(alike);
  return { outcome: 'cannot_tell', detail: 'the account has posted too many statuses since then' };
}

/** A status with our link in other words is left to a person to decide. */
function notFoundOutcome(alike: boolean): ReadBackOutcome {
  if (!alike) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'the account has a status with the same link in other words' };
}

/** Mastodon shows a status as HTML, with each address in `href` and as the text of the link. */
function compareStatus(html: string, { status, link }: OurStatus): Similarity {
  const text = htmlText(html);
  if (isSameText(text, status)) return 'same';
  const forms = [link, linkWithoutMention(link)];
  const hrefs = Array.from(html.matchAll(/\bhref="([^"]*)"/g), ([, href = '']) => decodeEntities(href));
  return forms.some((form) => hrefs.includes(form) || containsLink(text, form)) ? 'alike' : 'other';
}

/** Whether a text contains an address as a whole, not as the beginning or end of another one. */
function containsLink(text: string, link: string): boolean {
  for (let at = text.indexOf(link); at !== -1; at = text.indexOf(link, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + link.length);
    if (!/[\p{L}\p{N}/=?&%#_~-]$/u.test(before) && /^[.,;:!?'")\]}»」』】）、。…]*(?:\s|$)/u.test(after))
      return true;
  }
  return false;
}

function htmlText(html: string): string {
  return decodeEntities(html.replace(/<br\b[^>]*>|<\/p>/gi, '\n').replace(/<[^>]*>/g, ''));
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function decodeEntities(html: string): string {
  return html.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex?: string, dec?: string, name = '') => {
      const code = hex === undefined ? Number(dec) : Number.parseInt(hex, 16);
      if (name !== '') return NAMED_ENTITIES[String(name).toLowerCase()] ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
