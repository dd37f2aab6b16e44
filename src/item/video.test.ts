import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemKey } from './item.ts';
import { isoTime, timeOrNull, videoIdOf, videoKey, videoSighting } from './video.ts';

describe('the key of a video', () => {
  it('D1 returns its ID, whatever the ID is', () => {
    const anyId = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[\w-]{6,20}$/));
    fc.assert(
      fc.property(anyId, (id) => {
        const key = videoKey(id);
        if (key !== null) expect(videoIdOf(key)).toBe(id);
      }),
    );
    expect(videoKey('-startsDash')).toBe('https://www.youtube.com/watch?v=-startsDash');
    expect(videoKey('test')).toBe('https://www.youtube.com/watch?v=test#id');
  });

  it.each(['', '.', '..', 'a/b', '__x__', 'x'.repeat(1501), '\ud800'])(
    'D1 is none for %j, which no document can have as its ID',
    (id) => {
      expect(videoKey(id)).toBeNull();
    },
  );

  it.each(['https://www.youtube.com/watch?v=%zz#id', 'https://www.youtube.com/watch?v=abcdefghijk#id', 'x'])(
    'D1 %s is no key of a video',
    (key) => {
      expect(videoIdOf(key as ItemKey)).toBeNull();
    },
  );
});

describe('what another program tells of a video', () => {
  it('D1 X22 may be anything: what cannot be used is made up for', () => {
    const key = videoKey('abcdefghijk') ?? expect.fail('no key');
    const fields = { title: 7, channelId: null, channelTitle: ['x'], publishedAt: '+012345-01-01T00:00:00Z' };
    expect(videoSighting(key, 'abcdefghijk', fields, 5)).toMatchObject({
      title: key,
      publishedAt: 5,
      video: { videoId: 'abcdefghijk', channelId: '', channelTitle: '' },
    });
  });

  it('D1 has times as texts or timestamps', () => {
    expect(isoTime(timeOrNull('2024-12-31T10:00:00Z') ?? 0)).toBe('2024-12-31T10:00:00Z');
    expect(timeOrNull({ toMillis: () => 5 })).toBe(5);
    for (const none of [null, undefined, 5, 'soon', 'Tue, 31 Dec 2024', {}])
      expect(timeOrNull(none)).toBeNull();
  });
});
