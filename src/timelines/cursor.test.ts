import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, newestFirst } from './cursor.ts';

const entries = fc.record({
  createdAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  id: fc.stringMatching(/^[\w:.-]{0,40}$/),
});

describe('cursors', () => {
  it('C15 contain a position and, from streams, an event; both are decoded unchanged', () => {
    const events = fc.option(fc.record({ epoch: fc.stringMatching(/^[0-9a-f]{12}$/), number: fc.nat() }));
    fc.assert(
      fc.property(entries, events, (position, event) => {
        expect(decodeCursor(encodeCursor(position, event))).toEqual({ position, event });
      }),
    );
  });

  it('C15 the ID of a drop is a cursor by itself', () => {
    expect(decodeCursor('019b7a3c-8800-7000-8000-000000000000')).toEqual({
      position: { createdAt: 0x019b7a3c8800, id: '019b7a3c-8800-7000-8000-000000000000' },
      event: null,
    });
  });

  it.each(['', 'x', '12', '-1_a', '1_a~', '1_a~b', '99999999999999999_a', '1_a b', '1_\n', '1_é'])(
    'refuse %j',
    (text) => {
      expect(decodeCursor(text)).toBeNull();
    },
  );

  it('order newest first, without ties between different drops', () => {
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        expect(Math.sign(newestFirst(a, b))).toBe(-Math.sign(newestFirst(b, a)) + 0);
        expect(newestFirst(a, b) === 0).toBe(a.createdAt === b.createdAt && a.id === b.id);
      }),
    );
  });
});
