import type { Fetcher } from '../../reading/fetcher.ts';
import { sendOutcome } from '../answer.ts';
import type { OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
import { discordWays } from './answer.ts';
import { DIGEST_VERSION, digest } from './digest.ts';

export interface DiscordWebhookOptions {
  readonly id: string;
  /** The whole address is a secret: whoever has it can post. */
  readonly url: () => string;
  readonly threadId?: string;
  readonly fetcher: Fetcher;
}

/**
 * A Discord webhook. `wait=true` makes Discord answer with the message, whose ID is kept (A13). A webhook has no
 * nonce and cannot list its messages, so a lost reply can only be shown to a person (X2).
 */
export function discordWebhook(options: DiscordWebhookOptions): Publisher {
  return {
    id: options.id,
    abilities: { nativeIdempotencyMs: 0, canReadBack: false, canEdit: true, itemsPerMessage: 10 },
    render: (content) => ({ body: JSON.stringify(digest(content)), templateVersion: DIGEST_VERSION }),
    send: (message, signal) => send(options, message, signal),
    readBack: async (): Promise<ReadBackOutcome> => ({
      outcome: 'cannot_tell',
      detail: 'a Discord webhook cannot list its messages',
    }),
  };
}

async function send(
  options: DiscordWebhookOptions,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const url = new URL(options.url());
  url.searchParams.set('wait', 'true');
  if (options.threadId !== undefined) url.searchParams.set('thread_id', options.threadId);
  const answer = await options.fetcher.fetch(
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
  return sendOutcome(answer, discordWays('the webhook'));
}
