import { createHmac } from 'node:crypto';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { DETAIL_TEXTS } from '../../item/detail-texts.ts';
import type { Content, Publisher } from '../publisher.ts';
import { type ResponseReader, sendOutcome, textField } from '../service-response.ts';

export const WEBHOOK_VERSION = 'webhook-1';

export interface WebhookOptions {
  readonly id: string;
  readonly url: () => string;
  /** Key of the signature by which the receiver can authenticate each body. */
  readonly secret?: () => string;
  readonly authorization?: () => string;
  readonly timeoutMs?: number;
  readonly fetcher: Fetcher;
}

/**
 * A POST with JSON to any address. The message's key is sent as `Idempotency-Key`; whether the receiver honours it is
 * unknown, so after a lost reply a person has to decide. With a secret, `X-Kawaraban-Signature` is `sha256=` and the HMAC of
 * the body in hexadecimal.
 */
export function webhookPublisher(options: WebhookOptions): Publisher {
  return {
    id: options.id,
    abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 100 },
    render: (content) => ({ body: JSON.stringify(bodyOf(content)), templateVersion: WEBHOOK_VERSION }),
    async send({ key, body }, signal) {
      const { url, secret, authorization, timeoutMs, fetcher } = options;
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(secret !== undefined && {
          'x-kawaraban-signature': `sha256=${createHmac('sha256', secret()).update(body).digest('hex')}`,
        }),
        ...(authorization !== undefined && { authorization: authorization() }),
      };
      const answer = await fetcher.fetch(
        {
          url: url(),
          method: 'POST',
          headers,
          body,
          maxRedirects: 0,
          maxBytes: 1_000_000,
          polite: false,
          ...(timeoutMs !== undefined && { timeoutMs }),
        },
        signal,
      );
      return sendOutcome(answer, webhookResponses(key));
    },
    readBack: async () => ({ outcome: 'cannot_tell', detail: DETAIL_TEXTS.no_read_back_webhook }),
  };
}

/** The receiver's own ID, if it returns one; otherwise the key. */
function webhookResponses(key: string): ResponseReader {
  return {
    name: 'The webhook',
    hint: 'its address and its key',
    idOf: ({ body }) => ({ remoteId: textField(body, 'id') ?? key }),
    errorTextOf: ({ body }) => textField(body, 'error') ?? textField(body, 'message'),
  };
}

function bodyOf({ pipeline, items, note }: Content): Record<string, unknown> {
  return {
    pipeline,
    ...(note !== undefined && { note }),
    items: items.map(({ item, summary, alsoSeenIn }) => ({
      title: item.title,
      url: item.url,
      summary,
      source: item.sourceName,
      alsoSeenIn,
      publishedAt: new Date(item.publishedAt).toISOString(),
      score: item.verdict?.score ?? null,
      topics: item.verdict?.topics ?? [],
    })),
  };
}
