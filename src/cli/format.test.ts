import { describe, expect, it } from 'vitest';
import { displayWidth, pad, sanitise, truncate, wrap } from './format.ts';

describe('X12 widths on a terminal', () => {
  it('X12 counts East Asian characters and emoji as two columns, marks as none', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('瓦版')).toBe(4);
    expect(displayWidth('ｶﾅ')).toBe(2);
    expect(displayWidth('（全角）')).toBe(8);
    expect(displayWidth('한국어')).toBe(6);
    expect(displayWidth('é')).toBe(1);
    expect(displayWidth('か\u3099')).toBe(2);
    expect(displayWidth('👩‍👩‍👧 ok')).toBe(5);
    expect(displayWidth('❤️')).toBe(2);
    expect(displayWidth('')).toBe(0);
  });

  it('X12 cuts between characters, never through one, and marks the cut with …', () => {
    expect(truncate('hello', 5)).toBe('hello');
    expect(truncate('hello world', 6)).toBe('hello…');
    expect(truncate('瓦版が出る', 6)).toBe('瓦版…');
    expect(displayWidth(truncate('瓦版が出る', 6))).toBeLessThanOrEqual(6);
    expect(truncate('abc', 0)).toBe('');
  });

  it('X12 wraps between words, and where it must inside one', () => {
    expect(wrap('one two, three', 8)).toEqual(['one two,', 'three']);
    expect(wrap('extraordinary', 5)).toEqual(['extra', 'ordin', 'ary']);
    expect(wrap('瓦版が出る', 4)).toEqual(['瓦版', 'が出', 'る']);
    expect(wrap('', 5)).toEqual(['']);
    expect(wrap('one two', Number.POSITIVE_INFINITY)).toEqual(['one two']);
  });

  it('X12 pads to columns on either side', () => {
    expect(pad('瓦', 4)).toBe('瓦  ');
    expect(pad('7', 3, 'right')).toBe('  7');
  });

  it('X6 a title cannot contain terminal control sequences', () => {
    expect(sanitise('\x1b[31mred\x1b[0m\x07 \u202egnp.exe\r\nnext\tcell')).toBe(
      '[31mred[0m gnp.exe next cell',
    );
  });
});
