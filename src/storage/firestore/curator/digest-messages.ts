import type { ItemKey } from '../../../item/item.ts';
import { withLine } from '../../../ledger/item-record.ts';
import { asSending, deliveryLine } from '../../../outbox/message-record.ts';
import { type ClaimedMessage, type Delivery, OPEN_DELIVERIES } from '../../../outbox/outbox.ts';
import type { Digest, DigestMessage } from './documents.ts';

/** The messages of a digest, step by step. All functions here are pure. */

/** The message, marked as being sent under this claim. */
export function asMarked(
  message: DigestMessage,
  { owner, token, until }: Pick<ClaimedMessage, 'owner' | 'token' | 'until'>,
  now: number,
  attempt = '',
): DigestMessage {
  const held = { owner, until, attempt };
  return { ...message, token, marked: token, held, delivery: asSending(message.delivery, now) };
}

export function messageIn(digest: Digest, key: string): DigestMessage | undefined {
  return digest.messages.findLast(({ delivery }) => delivery.key === key);
}

export function withMessage(digest: Digest, next: DigestMessage): Digest {
  const index = digest.messages.findLastIndex(({ delivery }) => delivery.key === next.delivery.key);
  return { ...digest, messages: digest.messages.with(index, next) };
}

/** Adds a line to the history of each article of the message. */
export function withLines(digest: Digest, delivery: Delivery, who: string, at: number): Digest {
  const line = deliveryLine(delivery, who, at);
  return {
    ...digest,
    articles: digest.articles.map((stored) =>
      delivery.itemKeys.includes(stored.item.key) ? withLine(stored, line) : stored,
    ),
  };
}

/** The next message of the same destination in the digest, if it was only waiting for the previous one. */
export function nextOf(digest: Digest, { destination }: Delivery, now: number): DigestMessage | null {
  const head = headOf([digest], destination)?.message ?? null;
  const isFree = head !== null && head.delivery.state === 'intended' && (head.held?.until ?? 0) <= now;
  return isFree && (head.delivery.dueAt ?? 0) <= now ? head : null;
}

export function headOf(
  open: readonly Digest[],
  destination: string,
): { readonly digest: Digest; readonly message: DigestMessage } | null {
  for (const digest of open)
    for (const message of digest.messages)
      if (message.delivery.destination === destination && OPEN_DELIVERIES.includes(message.delivery.state))
        return { digest, message };
  return null;
}

export function deliveriesOf({ messages }: Digest, key: ItemKey): Delivery[] {
  return messages.map(({ delivery }) => delivery).filter(({ itemKeys }) => itemKeys.includes(key));
}

/** The claim on a message that was marked as being sent together with another write. */
export function claimsOn({ delivery, token, held }: DigestMessage): ClaimedMessage[] {
  if (held === null) return [];
  const { owner, until } = held;
  const attempts = delivery.attempts - 1;
  const firstTriedAt = attempts === 0 ? null : delivery.firstTriedAt;
  const before: Delivery = { ...delivery, state: 'intended', attempts, firstTriedAt };
  return [{ delivery: before, owner, token, until, marked: true }];
}
