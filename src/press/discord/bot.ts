import type { Fetcher, FetchOutcome, FetchRequest } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { cannotTell, jsonIn, sendOutcome } from '../answer.ts';
import type { Content, OutgoingMessage, Publisher, ReadBackOutcome } from '../publisher.ts';
import { Rests } from '../rests.ts';
import { discordWays, snowflakeOf } from './answer.ts';
import { type DigestLook, digest, digestVersion, MOST_EMBEDS, threadName } from './digest.ts';
import { DiscordLimits } from './limits.ts';

const DEFAULT_API = 'https://discord.com';
/** Discord remembers a nonce for some minutes; this is on the safe side. */
const NONCE_KEPT = 3 * MINUTE;
const PAGE = 100;
const MOST_PAGES = 20;
/** Milliseconds of the epoch that snowflakes count from. */
const DISCORD_EPOCH = 1_420_070_400_000;

export interface DiscordBotOptions extends DigestLook {
  readonly id: string;
  readonly token: () => string;
  /** A channel, a thread or a forum. */
  readonly channel: string;
  /** The channel is a forum: each message becomes a post of its own. */
  readonly forum?: boolean;
  /** Without `/api`; Discord's own where absent. */
  readonly baseUrl?: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Shared by everything that speaks to the same services. */
  readonly rests?: Rests;
}

/**
 * A Discord bot in one channel or thread. The message's key goes along as an enforced nonce: within minutes Discord
 * answers a repeated one with the message that is there, and later the channel's messages tell (X2). A post in a forum
 * takes no nonce and stands in a thread of its own, so there a lost answer is shown to a person.
 */
export function discordBot(options: DiscordBotOptions): Publisher {
  const { id, channel, baseUrl = DEFAULT_API, forum = false, clock } = options;
  const place = { host: URL.parse(baseUrl)?.host ?? '', route: forum ? 'threads' : 'messages' };
  const limits = new DiscordLimits({ ...place, resource: channel }, options.rests ?? new Rests(), clock);
  const ways = discordWays('the bot’s token and its rights in the channel', clock);
  return {
    id,
    abilities: {
      nativeIdempotencyMs: forum ? 0 : NONCE_KEPT,
      canReadBack: !forum,
      itemsPerMessage: MOST_EMBEDS,
    },
    render: (content) => ({
      body: JSON.stringify(forum ? forumPost(content, options) : digest(content, options)),
      templateVersion: digestVersion(options),
    }),
    async send(message, signal) {
      const nonce = forum ? {} : { nonce: message.key, enforce_nonce: true };
      const body = JSON.stringify({ ...(JSON.parse(message.body) as object), ...nonce });
      const answer = await call(options, place.route, { method: 'POST', body }, signal);
      limits.heed(answer);
      return sendOutcome(answer, ways);
    },
    readBack: forum
      ? async () => ({ outcome: 'cannot_tell', detail: 'a post in a forum has no key to be found by' })
      : (message, signal) => readBack(options, message, signal),
    restingUntil: () => limits.restingUntil(),
  };
}

/** A thread with its first message, which is how a bot posts in a forum. */
function forumPost(content: Content, look: DigestLook): object {
  return { name: threadName(content), message: digest(content, look) };
}

/**
 * Goes through the channel's messages, the newest first, looking for the key in their nonce. Our clock may be wrong, so it
 * looks a day further back than the first attempt, or as far as the pages reach.
 */
async function readBack(
  options: DiscordBotOptions,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const triedAt = message.firstTriedAt ?? options.clock.now();
  const links = linksOf(JSON.parse(message.body));
  let below = '';
  let reached = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await call(options, `messages?limit=${PAGE}${below}`, {}, signal);
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
function isOurs(message: unknown, key: string, links: string): boolean {
  if (typeof message !== 'object' || message === null) return false;
  return ('nonce' in message && message.nonce === key) || (links !== '' && linksOf(message) === links);
}

function linksOf(message: unknown): string {
  const embeds = typeof message === 'object' && message !== null && 'embeds' in message ? message.embeds : [];
  if (!Array.isArray(embeds)) return '';
  return embeds.map((embed: { url?: unknown }) => String(embed.url ?? '')).join('\n');
}

function timeOf(snowflake: bigint): number {
  return Number(snowflake >> 22n) + DISCORD_EPOCH;
}

function call(
  { baseUrl = DEFAULT_API, channel, token, fetcher }: DiscordBotOptions,
  path: string,
  request: Pick<FetchRequest, 'method' | 'body'>,
  signal: AbortSignal | undefined,
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      ...request,
      url: `${baseUrl}/api/v10/channels/${channel}/${path}`,
      headers: { authorization: `Bot ${token()}`, 'content-type': 'application/json' },
      maxRedirects: 0,
      maxBytes: 8_000_000,
      polite: false,
    },
    signal,
  );
}
