import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Publisher } from '../publisher.ts';
import { messageOf, sampleContent } from './sample-content.ts';

/** Supplied by a publisher's test: the publisher, and the destination as a user there sees it. */
export interface PublisherSubject extends AsyncDisposable {
  readonly publisher: Publisher;
  /** Number of messages at the destination that contain this text. */
  posted(text: string): number;
  /** Makes the next request to the destination fail in this way. */
  injectFault(how: 'lost_reply' | 'reset' | 'rate_limit' | 'garbage' | 'html' | 'refuse' | 'revoke'): void;
  /** A moderator deletes a message. */
  deleteMessage(remoteId: string): Promise<void>;
  /** The destination is unreachable. */
  unplug(): Promise<void>;
}

/** Contract of every destination on the network (X2, X18). */
export function publisherContract(open: () => Promise<PublisherSubject>): void {
  describe('as a publisher', () => {
    let subject: PublisherSubject;
    const url = 'https://example.org/articles/1';
    beforeEach(async () => {
      subject = await open();
      // The failures below are meant for the message, not for what is fetched before the first one.
      await subject.publisher.prepare?.();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('X2 sends a message once and returns its ID', async () => {
      const outcome = await subject.publisher.send(messageOf(subject.publisher, 'key-1'));
      expect(outcome).toMatchObject({ outcome: 'sent', remoteId: expect.stringMatching(/^\d+$/) });
      expect(subject.posted(url)).toBe(1);
    });

    it('X2 a lost reply is unknown, never sent and never refused', async () => {
      subject.injectFault('lost_reply');
      const message = messageOf(subject.publisher, 'key-1');
      expect(await subject.publisher.send(message)).toMatchObject({ outcome: 'unknown' });
      expect(subject.posted(url)).toBe(1);
    });

    it('X2 reading back finds what was applied and reports the rest as absent, or cannot tell', async () => {
      const { publisher } = subject;
      subject.injectFault('lost_reply');
      const applied = messageOf(publisher, 'key-1');
      await publisher.send(applied);
      const never = messageOf(publisher, 'key-2', sampleContent({ url: 'https://example.org/never-sent' }));
      const canTell = publisher.abilities.canReadBack;
      expect(await publisher.readBack(applied)).toMatchObject({ outcome: canTell ? 'found' : 'cannot_tell' });
      expect(await publisher.readBack(never)).toMatchObject({ outcome: canTell ? 'absent' : 'cannot_tell' });
    });

    it('X2 reading back takes no other message for ours', async () => {
      const { publisher } = subject;
      const canTell = publisher.abilities.canReadBack;
      const longer = sampleContent({ url: `${url}-2`, title: 'An article about databases' });
      expect(await publisher.send(messageOf(publisher, 'key-2', longer))).toMatchObject({ outcome: 'sent' });
      const ours = messageOf(publisher, 'key-1');
      expect(await publisher.readBack(ours)).toMatchObject({ outcome: canTell ? 'absent' : 'cannot_tell' });
      // The same article in other words: it is ours only if the destination has changed them.
      const reworded = sampleContent({ title: 'Another pipeline’s words' });
      expect(await publisher.send(messageOf(publisher, 'key-3', reworded))).toMatchObject({
        outcome: 'sent',
      });
      expect(await publisher.readBack(ours)).toMatchObject({ outcome: 'cannot_tell' });
      const sent = await publisher.send(ours);
      expect(await publisher.readBack(ours)).toMatchObject(
        canTell ? { ...sent, outcome: 'found' } : { outcome: 'cannot_tell' },
      );
    });

    it('X2 a repeated key is one message where the destination deduplicates by key', async (test) => {
      const { publisher } = subject;
      test.skip(publisher.abilities.nativeIdempotencyMs === 0, 'this destination knows no keys');
      const message = messageOf(publisher, 'key-1');
      const first = await publisher.send(message);
      expect(await publisher.send(message)).toEqual(first);
      expect(subject.posted(url)).toBe(1);
    });

    it('X18 a rate limit delays the message until the given time', async () => {
      subject.injectFault('rate_limit');
      const outcome = await subject.publisher.send(messageOf(subject.publisher, 'key-1'));
      expect(outcome).toMatchObject({ outcome: 'held', until: expect.any(Number) });
      expect(subject.posted(url)).toBe(0);
    });

    it('X18 an unreachable destination delays the message, since nothing can have arrived', async () => {
      await subject.unplug();
      expect(await subject.publisher.send(messageOf(subject.publisher, 'key-1'))).toMatchObject({
        outcome: 'held',
      });
    });

    it('an invalid key delays all messages, and the detail names what to check', async () => {
      subject.injectFault('revoke');
      expect(await subject.publisher.send(messageOf(subject.publisher, 'key-1'))).toMatchObject({
        outcome: 'held',
        detail: expect.stringMatching(/check the/),
      });
    });

    it('a message that the destination rejects is refused with its error message', async () => {
      subject.injectFault('refuse');
      expect(await subject.publisher.send(messageOf(subject.publisher, 'key-1'))).toMatchObject({
        outcome: 'refused',
        detail: expect.stringMatching(/answered 4\d\d/),
      });
    });

    it.each(['html', 'garbage'] as const)('X2 a response that is %s means unknown', async (how) => {
      subject.injectFault(how);
      expect(await subject.publisher.send(messageOf(subject.publisher, 'key-1'))).toMatchObject({
        outcome: 'unknown',
      });
    });

    describe('with items that are edited at their source', () => {
      const edited = { url, title: 'A corrected title' };
      async function sendEdited(): Promise<{ remoteId: string; body: string; revised: string }> {
        const { publisher } = subject;
        const { body } = messageOf(publisher, 'key-1');
        const sent = await publisher.send({ key: 'key-1', itemKeys: [], body, firstTriedAt: null });
        const revised = publisher.revise?.(body, edited);
        if (sent.outcome !== 'sent' || revised == null) throw new Error('it cannot be edited');
        return { remoteId: sent.remoteId, body, revised };
      }

      it('X19 the message is changed, and is still one message', async () => {
        const { remoteId, revised } = await sendEdited();
        for (let round = 0; round < 2; round++)
          expect(await subject.publisher.edit?.(remoteId, revised)).toEqual({ outcome: 'edited' });
        expect(subject.posted(edited.title)).toBe(1);
        expect(subject.posted('An article about databases')).toBe(0);
        expect(subject.posted(url)).toBe(1);
      });

      it('X19 the same title, or an item that is not in the message, changes nothing', async () => {
        const { publisher } = subject;
        const { revised } = await sendEdited();
        expect(publisher.revise?.(revised, edited)).toBeNull();
        expect(publisher.revise?.(revised, { ...edited, url: 'https://example.org/other' })).toBeNull();
      });

      it('X2 a message that a moderator deleted is gone, and is not sent again', async () => {
        const { remoteId, revised } = await sendEdited();
        await subject.deleteMessage(remoteId);
        expect(await subject.publisher.edit?.(remoteId, revised)).toMatchObject({ outcome: 'gone' });
        expect(subject.posted(url)).toBe(0);
      });

      it('X2 after a lost reply the edit is retried, which changes nothing', async () => {
        const { remoteId, revised } = await sendEdited();
        subject.injectFault('lost_reply');
        const answer = await subject.publisher.edit?.(remoteId, revised);
        expect(['later', 'edited']).toContain(answer?.outcome);
        expect(await subject.publisher.edit?.(remoteId, revised)).toEqual({ outcome: 'edited' });
        expect(subject.posted(edited.title)).toBe(1);
      });

      it.each(['rate_limit', 'html', 'revoke'] as const)(
        'X18 after %s the edit is made later',
        async (how) => {
          const { remoteId, revised } = await sendEdited();
          subject.injectFault(how);
          const answer = await subject.publisher.edit?.(remoteId, revised);
          expect(answer).toMatchObject({ outcome: 'later' });
          expect(JSON.stringify(answer)).not.toMatch(/simulated/);
          expect(subject.posted(url)).toBe(1);
        },
      );
    });

    it('X7 no outcome carries the key of the destination', async () => {
      for (const how of ['lost_reply', 'rate_limit', 'html', 'revoke'] as const) {
        subject.injectFault(how);
        const outcome = await subject.publisher.send(messageOf(subject.publisher, `key-${how}`));
        expect(JSON.stringify(outcome)).not.toMatch(/simulated/);
      }
    });
  });
}
