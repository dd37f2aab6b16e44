import { expect, it } from 'vitest';
import { legacyMessageKey, messageKey } from '../../outbox/outbox.ts';
import { DropError, ServiceUnavailableError } from '../../social/rules.ts';
import type { SocialStore } from '../../social/social-store.ts';
import { messageOf } from '../contract/sample-content.ts';
import { dropPublisher } from './timeline.ts';

const publisher = (post: SocialStore['post']) =>
  dropPublisher({ id: 'timeline', social: { post }, authorId: 'u', visibility: 'public' });

it('X2 X18 an unavailable post service leaves the message unknown, to be retried under its key', async () => {
  const unavailable = (why: 'down' | 'resting') =>
    publisher(() => Promise.reject(new ServiceUnavailableError('avion.PostService', why, 'no connection')));
  const down = unavailable('down');
  expect(await down.send(messageOf(down, 'key-1'))).toMatchObject({ outcome: 'unknown' });
  const circuitOpen = unavailable('resting');
  expect(await circuitOpen.send(messageOf(circuitOpen, 'key-1'))).toMatchObject({ outcome: 'held' });
  expect(down.abilities.nativeIdempotencyMs).toBe(Number.POSITIVE_INFINITY);
  const broken = publisher(() => Promise.reject(new TypeError('a bug')));
  await expect(broken.send(messageOf(broken, 'key-1'))).rejects.toThrow('a bug');
});

it('X2 if another author has the key of earlier versions at the post service, the drop gets the pipeline’s own', async () => {
  const keys: (string | undefined)[] = [];
  const shared = publisher(async ({ dedupeKey, ...drop }) => {
    keys.push(dedupeKey);
    if (keys.length === 1) throw new DropError('dedupeKey', 'is in use by another user');
    return {
      created: true,
      drop: {
        id: 'd',
        createdAt: 0,
        title: null,
        url: null,
        itemKey: null,
        pipeline: null,
        editedAt: null,
        ...drop,
      },
    };
  });
  const message = messageOf(shared, 'key-1');
  expect(await shared.send(message)).toEqual({ outcome: 'sent', remoteId: 'd' });
  expect(keys).toEqual([
    legacyMessageKey(message.itemKeys, 'timeline', 'drop-1'),
    messageKey('morning', message.itemKeys, 'timeline', 'drop-1'),
  ]);
});
