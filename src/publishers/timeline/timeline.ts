import { shorten } from '../../item/shorten.ts';
import { legacyMessageKey, messageKey } from '../../outbox/outbox.ts';
import { DropError, ServiceUnavailableError } from '../../social/rules.ts';
import type { Drop, SocialStore } from '../../social/social-store.ts';
import { plainLine } from '../plain-text.ts';
import type { Content, OutgoingMessage, Publisher } from '../publisher.ts';

export const DROP_VERSION = 'drop-1';
const MAX_TEXT = 1000;

export interface DropPublisherOptions {
  readonly id: string;
  readonly social: Pick<SocialStore, 'post'>;
  /** The pipeline's user, an author like any other. */
  readonly authorId: string;
  readonly visibility: 'public' | 'followers';
}

export interface DropBody {
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly itemKey: string;
  readonly pipeline: string;
}

/** A published item becomes a drop of the pipeline's author. The store deduplicates by key, without a time limit. */
export function dropPublisher(options: DropPublisherOptions): Publisher {
  return {
    id: options.id,
    abilities: {
      nativeIdempotencyMs: Number.POSITIVE_INFINITY,
      canReadBack: false,
      itemsPerMessage: 1,
    },
    render: (content) => ({ body: JSON.stringify(dropBody(content)), templateVersion: DROP_VERSION }),
    async send(message) {
      try {
        return { outcome: 'sent', remoteId: (await postOnce(message, options)).id };
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError)) throw error;
        const { message: detail, why } = error;
        // Either no request was sent, or our token was rejected.
        if (why === 'resting' || why === 'refused') return { outcome: 'held', detail, until: null };
        // It may have been stored before the reply was lost; its key makes a retry safe.
        return { outcome: 'unknown', detail };
      }
    },
    readBack: async () => ({ outcome: 'cannot_tell', detail: 'sending the same key again is safe' }),
  };
}

/**
 * Posts under the key that earlier versions used, which has no pipeline in it: a drop of theirs is recognised. Where that key
 * belongs to another pipeline's drop of the same item, the pipeline's own key makes this one distinct.
 */
async function postOnce(
  message: OutgoingMessage,
  { id, social, authorId: userId, visibility }: DropPublisherOptions,
): Promise<Drop> {
  const { itemKeys } = message;
  const body = JSON.parse(message.body) as DropBody;
  const post = async (dedupeKey: string): Promise<Drop> =>
    (await social.post({ userId, visibility, dedupeKey, ...body })).drop;
  try {
    const drop = await post(legacyMessageKey(itemKeys, id, DROP_VERSION));
    if (drop.pipeline === null ? drop.userId === userId : drop.pipeline === body.pipeline) return drop;
  } catch (error) {
    // A post service discloses nothing about another author's drop except that it has this key.
    if (!(error instanceof DropError) || error.field !== 'dedupeKey') throw error;
  }
  return post(messageKey(body.pipeline, itemKeys, id, DROP_VERSION));
}

function dropBody({ items: [first], pipeline }: Content): DropBody {
  if (first === undefined) throw new TypeError('a drop is made of one item');
  return {
    title: shorten(plainLine(first.item.title), 300),
    text: shorten(plainLine(first.summary ?? ''), MAX_TEXT),
    url: first.item.url,
    itemKey: first.item.key,
    pipeline,
  };
}
