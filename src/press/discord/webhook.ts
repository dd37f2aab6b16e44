import type { Fetcher, FetchOutcome } from '../../reading/fetcher.ts';
import type { OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
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
  return outcomeOf(answer);
}

const SNOWFLAKE = /^\d{17,20}$/;

/** What an answer of Discord's means for the message. */
export function outcomeOf(answer: FetchOutcome): SendOutcome {
  if (answer.outcome === 'failed') {
    const detail = `Discord could not be reached (${answer.why}): ${answer.detail}`;
    return answer.sent ? { outcome: 'unknown', detail } : { outcome: 'held', detail, until: null };
  }
  const body = parseObject(answer.body);
  if (answer.status >= 200 && answer.status < 300) {
    const id = body?.id;
    if (typeof id === 'string' && SNOWFLAKE.test(id)) return { outcome: 'sent', remoteId: id };
    return { outcome: 'unknown', detail: `Discord answered ${answer.status} without a message ID` };
  }
  const said = `Discord answered ${answer.status}${words(body)}`;
  if (answer.status === 429) return { outcome: 'held', detail: said, until: answer.retryAt };
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    return { outcome: 'held', detail: `${said}: check the webhook`, until: null };
  }
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 408)
    return { outcome: 'refused', detail: said };
  return { outcome: 'unknown', detail: said };
}

function words(body: Record<string, unknown> | null): string {
  const message = body?.message;
  return typeof message === 'string' ? ` (${message.slice(0, 200)})` : '';
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
