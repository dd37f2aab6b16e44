import type { FetchOutcome } from '../../fetch/fetcher.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { isSameText, type Similarity } from '../plain-text.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { parseJson, readBackFailed } from '../service-response.ts';
import { snowflakeOf } from './api.ts';
import type { DigestBody } from './digest.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 20;
/** Milliseconds of the epoch that snowflakes count from. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** Fetches a path of Discord's API. */
export type DiscordGet = (path: string) => Promise<FetchOutcome>;

/**
 * Searches the channel's messages, newest first, for the key in their nonce, or for the same content. The search goes back to
 * a day before the first attempt, since our clock may be wrong, or as far as the pages reach.
 */
export async function readBackChannel(
  get: DiscordGet,
  channel: string,
  message: OutgoingMessage,
  now: number,
): Promise<ReadBackOutcome> {
  const triedAt = message.firstTriedAt ?? now;
  const ours = JSON.parse(message.body) as DigestBody;
  let alike = false;
  let below = '';
  let reached = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await get(`channels/${channel}/messages?limit=${PAGE_SIZE}${below}`);
    const messages =
      answer.outcome === 'response' && answer.status === 200 ? parseJson(answer.body) : undefined;
    if (!Array.isArray(messages)) return readBackFailed(answer, 'Discord');
    for (const one of messages as unknown[]) {
      const similarity = compareMessage(one, message, ours);
      const id = similarity === 'same' ? snowflakeOf((one as { id?: unknown }).id) : null;
      if (id !== null) return { outcome: 'found', remoteId: id };
      if (similarity !== 'other') alike = true;
    }
    const oldest = oldestId(messages);
    if (oldest === null || messages.length < PAGE_SIZE) return notFoundOutcome(alike);
    reached = snowflakeTime(oldest);
    if (reached < triedAt - DAY) return notFoundOutcome(alike);
    below = `&before=${oldest}`;
  }
  if (reached < triedAt - 5 * MINUTE) return notFoundOutcome(alike);
  return { outcome: 'cannot_tell', detail: 'too many messages in the channel since then' };
}

function oldestId(messages: readonly unknown[]): bigint | null {
  const ids = messages.flatMap((m) => snowflakeOf((m as { id?: unknown } | null)?.id) ?? []).map(BigInt);
  return ids.reduce<bigint | null>((a, b) => (a !== null && a < b ? a : b), null);
}

/** The result of a complete search. A message with our links in other words is left to a person to decide. */
export function notFoundOutcome(alike: boolean): ReadBackOutcome {
  if (!alike) return { outcome: 'absent' };
  return { outcome: 'cannot_tell', detail: 'Discord has a message with the same links in other words' };
}

/** Compares the nonce; where Discord does not return it, the whole content. */
export function compareMessage(
  message: unknown,
  { key, sentBefore }: Pick<OutgoingMessage, 'key' | 'sentBefore'>,
  ours: DigestBody,
): Similarity {
  if (typeof message !== 'object' || message === null) return 'other';
  if (sentBefore)
    return isFromBot(message) && linksOf(ours).every((link) => linksOf(message).includes(link))
      ? 'same'
      : 'other';
  if ('nonce' in message && message.nonce !== null && message.nonce !== undefined)
    return String(message.nonce) === key ? 'same' : 'other';
  if (!isFromBot(message) || linksOf(message).join('\n') !== linksOf(ours).join('\n')) return 'other';
  return isSameText(contentText(message), contentText(ours)) ? 'same' : 'alike';
}

/** Discord also creates embeds for links in a user's message. */
function isFromBot(message: object): boolean {
  const author: unknown = 'author' in message ? message.author : null;
  return typeof author === 'object' && author !== null && 'bot' in author && author.bot === true;
}

function linksOf(message: object): string[] {
  return embedsOf(message).map(({ url }) => URL.parse(String(url ?? ''))?.href ?? '');
}

function contentText(message: object): string {
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

/** Creation time by Discord's clock. */
export function snowflakeTime(snowflake: bigint): number {
  return Number(snowflake >> 22n) + DISCORD_EPOCH;
}

/** Maximum number of forum posts that are read back; each costs a request. */
const MAX_THREADS = 60;

interface Thread {
  readonly id: bigint;
  readonly name: string;
}

/**
 * Finds a forum post by the content of its first message. Posts are threads: the server lists the active ones, the forum
 * the archived ones. Posts with our title are read first.
 */
export async function readBackForum(
  get: DiscordGet,
  forum: string,
  message: OutgoingMessage,
  now: number,
): Promise<ReadBackOutcome> {
  const post = JSON.parse(message.body) as { readonly name: string; readonly message: DigestBody };
  let alike = false;
  const threads = await threadsOf(get, forum);
  if ('failure' in threads) return readBackFailed(threads.failure, 'Discord');
  // Our clock may be wrong, so posts of the day before the first attempt count too.
  const earliest = (message.firstTriedAt ?? now) - DAY;
  const recent = threads.found
    .filter(({ id }) => snowflakeTime(id) >= earliest)
    .sort((a, b) => Number(b.name === post.name) - Number(a.name === post.name) || (a.id < b.id ? 1 : -1));
  for (const { id } of recent.slice(0, MAX_THREADS)) {
    // The first message of a post has the ID of its thread.
    const answer = await get(`channels/${id}/messages/${id}`);
    if (answer.outcome === 'failed' || (answer.status !== 200 && answer.status !== 404))
      return readBackFailed(answer, 'Discord');
    const similarity =
      answer.status === 200 ? compareMessage(parseJson(answer.body), message, post.message) : 'other';
    if (similarity === 'same') return { outcome: 'found', remoteId: String(id) };
    if (similarity === 'alike') alike = true;
  }
  if (recent.length <= MAX_THREADS) return notFoundOutcome(alike);
  return { outcome: 'cannot_tell', detail: 'too many posts in the forum since then' };
}

async function threadsOf(
  get: DiscordGet,
  forum: string,
): Promise<{ readonly found: readonly Thread[] } | { readonly failure: FetchOutcome }> {
  const channel = await get(`channels/${forum}`);
  const guild = snowflakeOf(fieldOf(jsonBody(channel), 'guild_id'));
  if (guild === null) return { failure: channel };
  const found = new Map<bigint, Thread>();
  for (const path of [
    `guilds/${guild}/threads/active`,
    `channels/${forum}/threads/archived/public?limit=100`,
  ]) {
    const answer = await get(path);
    const threads = fieldOf(jsonBody(answer), 'threads');
    if (!Array.isArray(threads)) return { failure: answer };
    for (const thread of threads) {
      const id = snowflakeOf(fieldOf(thread, 'id'));
      if (id === null || fieldOf(thread, 'parent_id') !== forum) continue;
      found.set(BigInt(id), { id: BigInt(id), name: String(fieldOf(thread, 'name')) });
    }
  }
  return { found: [...found.values()] };
}

function jsonBody(answer: FetchOutcome): unknown {
  return answer.outcome === 'response' && answer.status === 200 ? parseJson(answer.body) : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
