import type { Fetcher, FetchOutcome, FetchRequest } from '../../fetch/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { Content, Publisher } from '../publisher.ts';
import { editOutcome, RateLimits, sendOutcome } from '../service-response.ts';
import { DiscordRateLimits, discordResponses, discordUserAgent } from './api.ts';
import {
  type DigestBody,
  type DigestStyle,
  digest,
  digestVersion,
  MAX_EMBEDS,
  revisedDigest,
  threadName,
} from './digest.ts';
import { readBackChannel, readBackForum } from './read-back.ts';

const DEFAULT_API = 'https://discord.com';
/** Discord stores a nonce for some minutes; this is on the safe side. */
const NONCE_TTL_MS = 3 * MINUTE;

export interface DiscordBotOptions extends DigestStyle {
  readonly id: string;
  readonly token: () => string;
  /** A channel, a thread or a forum. */
  readonly channel: string;
  /** The channel is a forum: each message becomes a separate post. */
  readonly forum?: boolean;
  /** Without `/api`; Discord's own where absent. */
  readonly baseUrl?: string;
  readonly fetcher: Fetcher;
  /** Address of the operator, for the User-Agent. */
  readonly contact?: string;
  readonly clock: Clock;
  /** Shared by all clients of the same services. */
  readonly rateLimits?: RateLimits;
}

/**
 * A Discord bot in one channel or thread. The message's key is sent as an enforced nonce: within minutes Discord answers
 * a repeated one with the existing message; later the channel's messages are read back (X2). A forum post takes no nonce
 * and is a separate thread: there the first messages of the forum's threads are read back.
 */
export function discordBot(options: DiscordBotOptions): Publisher {
  const { id, channel, baseUrl = DEFAULT_API, forum = false, clock } = options;
  const place = { host: URL.parse(baseUrl)?.host ?? '', route: forum ? 'threads' : 'messages' };
  const limits = new DiscordRateLimits(
    { ...place, resource: channel },
    options.rateLimits ?? new RateLimits(clock),
    clock,
  );
  const responses = discordResponses('the bot’s token and its rights in the channel', clock);
  return {
    id,
    abilities: {
      nativeIdempotencyMs: forum ? 0 : NONCE_TTL_MS,
      canReadBack: true,
      itemsPerMessage: MAX_EMBEDS,
    },
    render: (content) => ({
      body: JSON.stringify(forum ? forumPost(content, options) : digest(content, options)),
      templateVersion: digestVersion(options),
    }),
    async send(message, signal) {
      const nonce = forum ? {} : { nonce: message.key, enforce_nonce: true };
      const body = JSON.stringify({ ...(JSON.parse(message.body) as object), ...nonce });
      const answer = await callDiscord(
        options,
        `channels/${channel}/${place.route}`,
        { method: 'POST', body },
        signal,
      );
      limits.update(answer);
      return sendOutcome(answer, responses);
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
      const answer = await callDiscord(options, path, { method: 'PATCH', body: form }, signal);
      limits.update(answer);
      return editOutcome(answer, responses);
    },
    readBack: (message, signal) => {
      const get = (path: string): Promise<FetchOutcome> => callDiscord(options, path, {}, signal);
      return (forum ? readBackForum : readBackChannel)(get, channel, message, clock.now());
    },
    rateLimitedUntil: () => limits.rateLimitedUntil(),
  };
}

/** In a forum the message is in its own thread. */
export type BotBody = DigestBody | ForumPost;
interface ForumPost {
  readonly name: string;
  readonly message: DigestBody;
}

/** A thread with its first message, which is how a bot posts in a forum. */
function forumPost(content: Content, style: DigestStyle): ForumPost {
  return { name: threadName(content), message: digest(content, style) };
}

function callDiscord(
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
