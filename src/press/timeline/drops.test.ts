import { expect, it } from 'vitest';
import { ServiceUnavailableError } from '../../social/refusals.ts';
import type { SocialStore } from '../../social/services.ts';
import { messageOf } from '../contract/sample-content.ts';
import { dropPublisher } from './drops.ts';

const publisher = (post: SocialStore['post']) =>
  dropPublisher({ id: 'timeline', social: { post }, authorId: 'u', visibility: 'public' });

it('X2 X18 a post service that is away leaves the message unknown, to be sent again under its key', async () => {
  const away = (why: 'down' | 'resting') =>
    publisher(() => Promise.reject(new ServiceUnavailableError('avion.PostService', why, 'no connection')));
  const down = away('down');
  expect(await down.send(messageOf(down, 'key-1'))).toMatchObject({ outcome: 'unknown' });
  const resting = away('resting');
  expect(await resting.send(messageOf(resting, 'key-1'))).toMatchObject({ outcome: 'held' });
  expect(down.abilities.nativeIdempotencyMs).toBe(Number.POSITIVE_INFINITY);
  const broken = publisher(() => Promise.reject(new TypeError('a mistake of ours')));
  await expect(broken.send(messageOf(broken, 'key-1'))).rejects.toThrow('a mistake of ours');
});
