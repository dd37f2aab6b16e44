import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten } from '../item/shorten.ts';
import { plainLine } from './plain-text.ts';

describe('plainLine', () => {
  it('A6 nothing in a text can mention anyone', () => {
    for (const hostile of [
      '@everyone now',
      'hi @here',
      '<@123>',
      '<@&1>',
      '<#5>',
      'a@b@mastodon.social',
      '＠everyone',
    ]) {
      expect(plainLine(hostile)).not.toMatch(/[@＠][\p{L}\p{N}_&!#]|<[@#]/u);
    }
  });

  it('is one line without control or direction characters', () => {
    expect(plainLine('a\u202Eb\u0000c\nd\t e')).toBe('abc d e');
  });

  it('A6 holds for any text, and doing it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const once = plainLine(text);
        expect(once).not.toMatch(/[@＠][\p{L}\p{N}_&!#]|<[@#]/u);
        expect(once).not.toMatch(/[\r\n]/u);
      }),
    );
  });
});

describe('shorten', () => {
  it('never passes the limit and never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const short = shorten(text, most);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
    );
    expect(shorten('👩‍👩‍👧‍👦 family', 5)).toBe('…');
  });
});
