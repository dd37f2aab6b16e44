import { DAY, MINUTE } from '../../time/duration.ts';
import { cannotTell } from '../answer.ts';
import { type Likeness, saysTheSame } from '../likeness.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { call, type MastodonAccount } from './api.ts';
import { entityIn, idOf } from './entity.ts';
import { linkWithoutMention } from './mentions.ts';

interface OurStatus {
  readonly status: string;
  readonly link: string;
}

/**
 * Looks for our status among the account's newest ones, by its words and its link. Our clock may be wrong, so it looks a day further back than the
 * first attempt, or as far as the pages reach.
 */
export async function readBack(
  options: MastodonAccount,
  message: OutgoingMessage,
  now: number,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const ours = JSON.parse(message.body) as OurStatus;
  let alike = false;
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
      if (reached < triedAt - DAY) return notFound(alike);
      const likeness = compare(String(status.content), ours);
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
    if (last === undefined) return notFound(alike);
    below = `&max_id=${encodeURIComponent(String(last.id))}`;
  }
  if (reached < triedAt - 5 * MINUTE) return notFound(alike);
  return { outcome: 'cannot_tell', detail: 'the account has posted too much since to look through it' };
}

/** A status with our link in other words leaves the question to a person. */
function notFound(alike: boolean): ReadBackOutcome {
  if (!alike) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'the account has a status with the same link in other words' };
}

/** Mastodon shows a status as HTML, with each address in `href` and as the text of the link. */
function compare(html: string, { status, link }: OurStatus): Likeness {
  const text = textOf(html);
  if (saysTheSame(text, status)) return 'same';
  const forms = [link, linkWithoutMention(link)];
  const hrefs = Array.from(html.matchAll(/\bhref="([^"]*)"/g), ([, href = '']) => decoded(href));
  return forms.some((form) => hrefs.includes(form) || hasWhole(text, form)) ? 'alike' : 'other';
}

/** Whether an address stands in a text as a whole, and not as the beginning or end of another one. */
function hasWhole(text: string, link: string): boolean {
  for (let at = text.indexOf(link); at !== -1; at = text.indexOf(link, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + link.length);
    if (!/[\p{L}\p{N}/=?&%#_~-]$/u.test(before) && /^[.,;:!?'")\]}»」』】）、。…]*(?:\s|$)/u.test(after))
      return true;
  }
  return false;
}

function textOf(html: string): string {
  return decoded(html.replace(/<br\b[^>]*>|<\/p>/gi, '\n').replace(/<[^>]*>/g, ''));
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function decoded(html: string): string {
  return html.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex?: string, dec?: string, name = '') => {
      const code = hex === undefined ? Number(dec) : Number.parseInt(hex, 16);
      if (name !== '') return NAMED[String(name).toLowerCase()] ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
