import type { FetchOutcome } from '../../reading/fetcher.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { cannotTell, jsonIn } from '../answer.ts';
import { type Likeness, saysTheSame } from '../likeness.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { snowflakeOf } from './answer.ts';
import type { DigestBody } from './digest.ts';

const PAGE = 100;
const MOST_PAGES = 20;
/** Milliseconds of the epoch that snowflakes count from. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** Asks Discord for what stands at a path of its API. */
export type AskDiscord = (path: string) => Promise<FetchOutcome>;

/**
 * Goes through the channel's messages, the newest first, looking for the key in their nonce, or for the same content. Our clock may be wrong, so it
 * looks a day further back than the first attempt, or as far as the pages reach.
 */
export async function readBackChannel(
  ask: AskDiscord,
  channel: string,
  message: OutgoingMessage,
  now: number,
): Promise<ReadBackOutcome> {
  const triedAt = message.firstTriedAt ?? now;
  const ours = JSON.parse(message.body) as DigestBody;
  let alike = false;
  let below = '';
  let reached = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await ask(`channels/${channel}/messages?limit=${PAGE}${below}`);
    const messages = answer.outcome === 'response' && answer.status === 200 ? jsonIn(answer.body) : undefined;
    if (!Array.isArray(messages)) return cannotTell(answer, 'Discord');
    for (const one of messages as unknown[]) {
      const likeness = compare(one, message, ours);
      const id = likeness === 'same' ? snowflakeOf((one as { id?: unknown }).id) : null;
      if (id !== null) return { outcome: 'found', remoteId: id };
      if (likeness !== 'other') alike = true;
    }
    const oldest = oldestOf(messages);
    if (oldest === null || messages.length < PAGE) return notFound(alike);
    reached = timeOf(oldest);
    if (reached < triedAt - DAY) return notFound(alike);
    below = `&before=${oldest}`;
  }
  if (reached < triedAt - 5 * MINUTE) return notFound(alike);
  return { outcome: 'cannot_tell', detail: 'too much was said in the channel since to look through it' };
}

function oldestOf(messages: readonly unknown[]): bigint | null {
  const ids = messages.flatMap((m) => snowflakeOf((m as { id?: unknown } | null)?.id) ?? []).map(BigInt);
  return ids.reduce<bigint | null>((a, b) => (a !== null && a < b ? a : b), null);
}

/** After a look through everything. A message with our links in other words leaves the question to a person. */
export function notFound(alike: boolean): ReadBackOutcome {
  if (!alike) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'Discord has a message with the same links in other words' };
}

/** A nonce decides. Discord does not always hand it back: then all of the content does. */
export function compare(
  message: unknown,
  { key, sentBefore }: Pick<OutgoingMessage, 'key' | 'sentBefore'>,
  ours: DigestBody,
): Likeness {
  if (typeof message !== 'object' || message === null) return 'other';
  if (sentBefore)
    return isOfABot(message) && linksOf(ours).every((link) => linksOf(message).includes(link))
      ? 'same'
      : 'other';
  if ('nonce' in message && message.nonce !== null && message.nonce !== undefined)
    return String(message.nonce) === key ? 'same' : 'other';
  if (!isOfABot(message) || linksOf(message).join('\n') !== linksOf(ours).join('\n')) return 'other';
  return saysTheSame(wordsOf(message), wordsOf(ours)) ? 'same' : 'alike';
}

/** Discord makes embeds of links in a person's message, too. */
function isOfABot(message: object): boolean {
  const author: unknown = 'author' in message ? message.author : null;
  return typeof author === 'object' && author !== null && 'bot' in author && author.bot === true;
}

function linksOf(message: object): string[] {
  return embedsOf(message).map(({ url }) => URL.parse(String(url ?? ''))?.href ?? '');
}

function wordsOf(message: object): string {
  const content = 'content' in message ? message.content : '';
  const embeds = embedsOf(message).map(({ title, description, fields, footer }) => [
    title ?? '',
    description ?? '',
    (Array.isArray(fields) ? fields : []).map(({ name, value }: Record<string, unknown>) => [name, value]),
    (footer as { text?: unknown } | undefined)?.text ?? '',
  ]);
  return JSON.stringify([content ?? '', embeds]);
}

function embedsOf(message: object): readonly Record<string, unknown>[] {
  const embeds = 'embeds' in message ? message.embeds : [];
  return Array.isArray(embeds) ? (embeds as Record<string, unknown>[]) : [];
}

/** When it was made, by the clock of Discord. */
export function timeOf(snowflake: bigint): number {
  return Number(snowflake >> 22n) + DISCORD_EPOCH;
}
