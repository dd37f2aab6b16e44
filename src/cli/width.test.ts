import { describe, expect, it } from 'vitest';
import { cut, harmless, pad, widthOf } from './width.ts';

describe('X12 widths on a terminal', () => {
  it('X12 counts East Asian characters and emoji as two columns, marks as none', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('瓦版')).toBe(4);
    expect(widthOf('ｶﾅ')).toBe(2);
    expect(widthOf('（全角）')).toBe(8);
    expect(widthOf('한국어')).toBe(6);
    expect(widthOf('é')).toBe(1);
    expect(widthOf('か\u3099')).toBe(2);
    expect(widthOf('👩‍👩‍👧 ok')).toBe(5);
    expect(widthOf('❤️')).toBe(2);
    expect(widthOf('')).toBe(0);
  });

  it('X12 cuts between characters, never through one, and says so with …', () => {
    expect(cut('hello', 5)).toBe('hello');
    expect(cut('hello world', 6)).toBe('hello…');
    expect(cut('瓦版が出る', 6)).toBe('瓦版…');
    expect(widthOf(cut('瓦版が出る', 6))).toBeLessThanOrEqual(6);
    expect(cut('abc', 0)).toBe('');
  });

  it('X12 pads to columns on either side', () => {
    expect(pad('瓦', 4)).toBe('瓦  ');
    expect(pad('7', 3, 'right')).toBe('  7');
  });

  it('X6 a title cannot speak to the terminal', () => {
    expect(harmless('\x1b[31mred\x1b[0m\x07 \u202egnp.exe\r\nnext\tcell')).toBe(
      '[31mred[0m gnp.exe next cell',
    );
  });
});
