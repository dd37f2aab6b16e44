import type { Fetcher } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { sendOutcome } from '../answer.ts';
import type { OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
import { Rests } from '../rests.ts';
import { discordWays } from './answer.ts';
import { type DigestLook, digest, digestVersion, MOST_EMBEDS, threadName } from './digest.ts';
import { DiscordLimits } from './limits.ts';

export interface DiscordWebhookOptions extends DigestLook {
  readonly id: string;
  /** The whole address is a secret: whoever has it can post. */
  readonly url: () => string;
  /** A thread in the webhook's channel, or a post in its forum. */
  readonly threadId?: string;
  /** The channel is a forum: each message becomes a post of its own. */
  readonly forum?: boolean;
  /** Shown in place of the webhook's own name. */
  readonly username?: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Shared by everything that speaks to the same services. */
  readonly rests?: Rests;
}

/**
 * A Discord webhook. `wait=true` makes Discord answer with the message, whose ID is kept (A13). A webhook has no
 * nonce and cannot list its messages, so a lost reply can only be shown to a person (X2).
 */
export function discordWebhook(options: DiscordWebhookOptions): Publisher {
  const { id, username, forum = false, clock } = options;
  const limits = new DiscordLimits(placeOf(options.url()), options.rests ?? new Rests(), clock);
  return {
    id,
    abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: MOST_EMBEDS },
    render: (content) => ({
      body: JSON.stringify({
        ...digest(content, options),
        ...(username !== undefined && { username }),
        ...(forum && { thread_name: threadName(content) }),
      }),
      templateVersion: digestVersion(options),
    }),
    send: (message, signal) => send(options, limits, message, signal),
    readBack: async (): Promise<ReadBackOutcome> => ({
      outcome: 'cannot_tell',
      detail: 'a Discord webhook cannot list its messages',
    }),
    restingUntil: () => limits.restingUntil(),
  };
}

async function send(
  { url: secretUrl, threadId, fetcher, clock }: DiscordWebhookOptions,
  limits: DiscordLimits,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const url = new URL(secretUrl());
  url.searchParams.set('wait', 'true');
  if (threadId !== undefined) url.searchParams.set('thread_id', threadId);
  const answer = await fetcher.fetch(
    {
      url: url.href,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: message.body,
      maxRedirects: 0,
      maxBytes: 1_000_000,
      polite: false,
    },
    signal,
  );
  limits.heed(answer);
  return sendOutcome(answer, discordWays('the webhook', clock));
}

/** The webhook's ID without its token; an address that is none fails when it is used, with words of its own. */
function placeOf(secretUrl: string): { host: string; route: string; resource: string } {
  const url = URL.parse(secretUrl);
  return {
    host: url?.host ?? '',
    route: 'webhooks',
    resource: /\/webhooks\/(\d+)/.exec(url?.pathname ?? '')?.[1] ?? '',
  };
}
