import type { Fetcher, FetchOutcome, FetchRequest } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { editOutcome, sendOutcome } from '../answer.ts';
import type { Content, Publisher } from '../publisher.ts';
import { Rests } from '../rests.ts';
import { discordWays } from './answer.ts';
import {
  type DigestBody,
  type DigestLook,
  digest,
  digestVersion,
  MOST_EMBEDS,
  revisedDigest,
  threadName,
} from './digest.ts';
import { readBackForum } from './forum-read-back.ts';
import { DiscordLimits } from './limits.ts';
import { readBackChannel } from './read-back.ts';
import { discordUserAgent } from './user-agent.ts';

const DEFAULT_API = 'https://discord.com';
/** Discord remembers a nonce for some minutes; this is on the safe side. */
const NONCE_KEPT = 3 * MINUTE;

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
  /** Address of the operator, for the User-Agent. */
  readonly contact?: string;
  readonly clock: Clock;
  /** Shared by everything that speaks to the same services. */
  readonly rests?: Rests;
}

/**
 * A Discord bot in one channel or thread. The message's key goes along as an enforced nonce: within minutes Discord
 * answers a repeated one with the message that is there, and later the channel's messages tell (X2). A post in a forum
 * takes no nonce and is a thread of its own: there the first messages of the forum's threads tell.
 */
export function discordBot(options: DiscordBotOptions): Publisher {
  const { id, channel, baseUrl = DEFAULT_API, forum = false, clock } = options;
  const place = { host: URL.parse(baseUrl)?.host ?? '', route: forum ? 'threads' : 'messages' };
  const limits = new DiscordLimits({ ...place, resource: channel }, options.rests ?? new Rests(clock), clock);
  const ways = discordWays('the bot’s token and its rights in the channel', clock);
  return {
    id,
    abilities: {
      nativeIdempotencyMs: forum ? 0 : NONCE_KEPT,
      canReadBack: true,
      itemsPerMessage: MOST_EMBEDS,
    },
    render: (content) => ({
      body: JSON.stringify(forum ? forumPost(content, options) : digest(content, options)),
      templateVersion: digestVersion(options),
    }),
    async send(message, signal) {
      const nonce = forum ? {} : { nonce: message.key, enforce_nonce: true };
      const body = JSON.stringify({ ...(JSON.parse(message.body) as object), ...nonce });
      const answer = await call(
        options,
        `channels/${channel}/${place.route}`,
        { method: 'POST', body },
        signal,
      );
      limits.heed(answer);
      return sendOutcome(answer, ways);
    },
    revise(body, edited) {
      const before = JSON.parse(body) as BotBody;
      const revised = revisedDigest('message' in before ? before.message : before, edited);
      if (revised === null) return null;
      return JSON.stringify('message' in before ? { ...before, message: revised } : revised);
    },
    async edit(remoteId, body, signal) {
      const whole = JSON.parse(body) as BotBody;
      const { content, embeds, allowed_mentions } = 'message' in whole ? whole.message : whole;
      // A post in a forum is a thread that has the ID of its first message.
      const path = `channels/${forum ? remoteId : channel}/messages/${remoteId}`;
      const form = JSON.stringify({ content, embeds, allowed_mentions });
      const answer = await call(options, path, { method: 'PATCH', body: form }, signal);
      limits.heed(answer);
      return editOutcome(answer, ways);
    },
    readBack: (message, signal) => {
      const ask = (path: string): Promise<FetchOutcome> => call(options, path, {}, signal);
      return (forum ? readBackForum : readBackChannel)(ask, channel, message, clock.now());
    },
    restingUntil: () => limits.restingUntil(),
  };
}

/** In a forum the message stands in its thread. */
type BotBody = DigestBody | ForumPost;
interface ForumPost {
  readonly name: string;
  readonly message: DigestBody;
}

/** A thread with its first message, which is how a bot posts in a forum. */
function forumPost(content: Content, look: DigestLook): ForumPost {
  return { name: threadName(content), message: digest(content, look) };
}

function call(
  { baseUrl = DEFAULT_API, token, fetcher, contact }: DiscordBotOptions,
  path: string,
  request: Pick<FetchRequest, 'method' | 'body'>,
  signal: AbortSignal | undefined,
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      ...request,
      url: `${baseUrl}/api/v10/${path}`,
      headers: {
        authorization: `Bot ${token()}`,
        'content-type': 'application/json',
        'user-agent': discordUserAgent(contact),
      },
      maxRedirects: 0,
      maxBytes: 8_000_000,
      polite: false,
    },
    signal,
  );
}
