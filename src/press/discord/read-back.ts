import type { FetchOutcome } from '../../reading/fetcher.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { cannotTell, jsonIn } from '../answer.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { snowflakeOf } from './answer.ts';

const PAGE = 100;
const MOST_PAGES = 20;
/** Milliseconds of the epoch that snowflakes count from. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** Asks Discord for what stands at a path of its API. */
export type AskDiscord = (path: string) => Promise<FetchOutcome>;

/**
 * Goes through the channel's messages, the newest first, looking for the key in their nonce. Our clock may be wrong, so it
 * looks a day further back than the first attempt, or as far as the pages reach.
 */
export async function readBackChannel(
  ask: AskDiscord,
  channel: string,
  message: OutgoingMessage,
  now: number,
): Promise<ReadBackOutcome> {
  const triedAt = message.firstTriedAt ?? now;
  const links = linksOf(JSON.parse(message.body));
  let below = '';
  let reached = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await ask(`channels/${channel}/messages?limit=${PAGE}${below}`);
    const messages = answer.outcome === 'response' && answer.status === 200 ? jsonIn(answer.body) : undefined;
    if (!Array.isArray(messages)) return cannotTell(answer, 'Discord');
    const found = messages.find((m: unknown) => isOurs(m, message.key, links));
    const id = snowflakeOf((found as { id?: unknown } | undefined)?.id);
    if (id !== null) return { outcome: 'found', remoteId: id };
    const oldest = oldestOf(messages);
    if (oldest === null || messages.length < PAGE) return { outcome: 'absent' };
    reached = timeOf(oldest);
    if (reached < triedAt - DAY) return { outcome: 'absent' };
    below = `&before=${oldest}`;
  }
  if (reached < triedAt - 5 * MINUTE) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'too much was said in the channel since to look through it' };
}

function oldestOf(messages: readonly unknown[]): bigint | null {
  const ids = messages.flatMap((m) => snowflakeOf((m as { id?: unknown } | null)?.id) ?? []).map(BigInt);
  return ids.reduce<bigint | null>((a, b) => (a !== null && a < b ? a : b), null);
}

/** Discord does not always hand the nonce back, so the links of the embeds count as well: no two digests share them. */
export function isOurs(message: unknown, key: string, links: string): boolean {
  if (typeof message !== 'object' || message === null) return false;
  return ('nonce' in message && message.nonce === key) || (links !== '' && linksOf(message) === links);
}

export function linksOf(message: unknown): string {
  const embeds = typeof message === 'object' && message !== null && 'embeds' in message ? message.embeds : [];
  if (!Array.isArray(embeds)) return '';
  return embeds.map((embed: { url?: unknown }) => String(embed.url ?? '')).join('\n');
}

/** When it was made, by the clock of Discord. */
export function timeOf(snowflake: bigint): number {
  return Number(snowflake >> 22n) + DISCORD_EPOCH;
}
