import type { Fetcher, FetchOutcome } from '../../fetch/fetcher.ts';
import { DETAIL_TEXTS } from '../../item/detail-texts.ts';
import type { Clock } from '../../time/clock.ts';
import type { EditOutcome, OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
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

export interface DiscordWebhookOptions extends DigestStyle {
  readonly id: string;
  /** The whole address is a secret: it is enough to post. */
  readonly url: () => string;
  /** A thread in the webhook's channel, or a post in its forum. */
  readonly threadId?: string;
  /** The channel is a forum: each message becomes a separate post. */
  readonly forum?: boolean;
  /** Shown in place of the webhook's own name. */
  readonly username?: string;
  readonly fetcher: Fetcher;
  /** Address of the operator, for the User-Agent. */
  readonly contact?: string;
  readonly clock: Clock;
  /** Shared by all clients of the same services. */
  readonly rateLimits?: RateLimits;
}

/**
 * A Discord webhook. With `wait=true` Discord answers with the message, whose ID is stored (A13). A webhook has no
 * nonce and cannot list its messages, so after a lost reply a person has to decide (X2).
 */
export function discordWebhook(options: DiscordWebhookOptions): Publisher {
  const { id, username, forum = false, clock } = options;
  const rateLimits = options.rateLimits ?? new RateLimits(clock);
  let known: DiscordRateLimits | undefined;
  // By need: a dry run has no address.
  const limits = (): DiscordRateLimits => {
    known ??= new DiscordRateLimits(routeOf(options.url()), rateLimits, clock);
    return known;
  };
  return {
    id,
    abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: MAX_EMBEDS },
    render: (content) => ({
      body: JSON.stringify({
        ...digest(content, options),
        ...(username !== undefined && { username }),
        ...(forum && { thread_name: threadName(content) }),
      }),
      templateVersion: digestVersion(options),
    }),
    send: (message, signal) => send(options, limits(), message, signal),
    revise(body, edited) {
      const revised = revisedDigest(JSON.parse(body) as DigestBody, edited);
      return revised === null ? null : JSON.stringify(revised);
    },
    edit: (remoteId, body, signal) => edit(options, limits(), remoteId, body, signal),
    readBack: async (): Promise<ReadBackOutcome> => ({
      outcome: 'cannot_tell',
      detail: DETAIL_TEXTS.no_read_back_discord,
    }),
    rateLimitedUntil: () => limits().rateLimitedUntil(),
  };
}

async function send(
  options: DiscordWebhookOptions,
  limits: DiscordRateLimits,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const url = new URL(options.url());
  url.searchParams.set('wait', 'true');
  if (options.threadId !== undefined) url.searchParams.set('thread_id', options.threadId);
  const answer = await callWebhook(options, url, 'POST', message.body, signal);
  limits.update(answer);
  return sendOutcome(answer, discordResponses(CREDENTIAL_HINT, options.clock));
}

async function edit(
  options: DiscordWebhookOptions,
  limits: DiscordRateLimits,
  remoteId: string,
  body: string,
  signal?: AbortSignal,
): Promise<EditOutcome> {
  const url = new URL(options.url());
  url.pathname = `${url.pathname.replace(/\/$/, '')}/messages/${remoteId}`;
  // A post in a forum is a thread that has the ID of its first message.
  const thread = options.threadId ?? (options.forum ? remoteId : undefined);
  if (thread !== undefined) url.searchParams.set('thread_id', thread);
  const { content, embeds, allowed_mentions } = JSON.parse(body) as DigestBody;
  const form = JSON.stringify({ content, embeds, allowed_mentions });
  const answer = await callWebhook(options, url, 'PATCH', form, signal);
  limits.update(answer);
  return editOutcome(answer, discordResponses(CREDENTIAL_HINT, options.clock));
}

const CREDENTIAL_HINT = 'the webhook';

function callWebhook(
  { fetcher, contact }: DiscordWebhookOptions,
  url: URL,
  method: 'POST' | 'PATCH',
  body: string,
  signal: AbortSignal | undefined,
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      url: url.href,
      method,
      headers: { 'content-type': 'application/json', 'user-agent': discordUserAgent(contact) },
      body,
      maxRedirects: 0,
      maxBytes: 1_000_000,
      polite: false,
    },
    signal,
  );
}

/** The webhook's ID without its token. An invalid address fails when it is used. */
function routeOf(secretUrl: string): { host: string; route: string; resource: string } {
  const url = URL.parse(secretUrl);
  return {
    host: url?.host ?? '',
    route: 'webhooks',
    resource: /\/webhooks\/(\d+)/.exec(url?.pathname ?? '')?.[1] ?? '',
  };
}
