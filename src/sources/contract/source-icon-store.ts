import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IconPicture, SourceIconStore } from '../icons/source-icon-store.ts';

export interface IconStoreUnderTest {
  readonly store: SourceIconStore;
  /** The same store as opened by another process. */
  reopen(): Promise<SourceIconStore>;
  dispose(): Promise<void>;
}

const picture: IconPicture = {
  hash: '0123456789abcdef0123456789abcdef',
  type: 'image/png',
  bytes: new Uint8Array(100_000).fill(7),
};
const { hash } = picture;

/** Contract of a store of the icons of sources. */
export function sourceIconContract(name: string, make: () => Promise<IconStoreUnderTest>): void {
  describe(`${name} as a store of source icons`, () => {
    let subject: IconStoreUnderTest;
    let store: SourceIconStore;
    beforeEach(async () => {
      subject = await make();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    it('R24 keeps records and pictures, also that there is none', async () => {
      expect(await store.load(['herald', 'wire'])).toEqual(new Map());
      expect(await store.picture('herald')).toBeNull();
      await store.save('herald', { hash, expiresAt: 10 }, picture);
      await store.save('wire', { hash: null, expiresAt: 20 });
      const again = await subject.reopen();
      expect(await again.load(['herald', 'wire', 'lab'])).toEqual(
        new Map([
          ['herald', { hash, expiresAt: 10 }],
          ['wire', { hash: null, expiresAt: 20 }],
        ]),
      );
      const kept = await again.picture('herald');
      expect({ ...kept, bytes: Buffer.from(kept?.bytes ?? []) }).toEqual({
        ...picture,
        bytes: Buffer.from(picture.bytes),
      });
      expect(await again.picture('wire')).toBeNull();
    });

    it('R24 extends the time of a picture, replaces it, and removes it', async () => {
      await store.save('herald', { hash, expiresAt: 10 }, picture);
      await store.save('herald', { hash, expiresAt: 30 });
      expect(await store.load(['herald'])).toEqual(new Map([['herald', { hash, expiresAt: 30 }]]));
      expect((await store.picture('herald'))?.bytes.length).toBe(picture.bytes.length);
      const other = { hash: 'f'.repeat(32), type: 'image/x-icon', bytes: new Uint8Array([1]) };
      await store.save('herald', { hash: other.hash, expiresAt: 40 }, other);
      expect((await store.picture('herald'))?.hash).toBe(other.hash);
      await store.save('herald', { hash: null, expiresAt: 50 });
      expect(await store.picture('herald')).toBeNull();
      await store.save('herald', { hash, expiresAt: 60 }, picture);
      await store.remove('herald');
      expect(await store.load(['herald'])).toEqual(new Map());
      expect(await store.picture('herald')).toBeNull();
    });
  });
}
