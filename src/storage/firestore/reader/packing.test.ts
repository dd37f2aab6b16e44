import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../../../item/item.ts';
import type { NewEntry } from '../../../reader/entry-store.ts';
import { NumberReader, NumberWriter } from './packed-numbers.ts';
import { MAX_CHUNK_BYTES, packChoices, unpackChoices } from './person-documents.ts';
import type { StoryChoice } from './reading-state.ts';
import { MAX_TOKENS, tokensOf } from './search.ts';
import {
  hashOfKey,
  type IndexRow,
  MAX_GONE_ENTRIES,
  MAX_ORPHANS,
  MAX_SOURCE_ENTRIES,
  nextId,
  packRows,
  SourceIndex,
  unpackIndex,
} from './source-index.ts';
import { newStoredEntry } from './stored-entry.ts';

/** Firestore's limit of a document. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
const NOW = Date.UTC(2026, 0, 5);

const time = fc.integer({ min: -NOW, max: 4 * NOW });
const row: fc.Arbitrary<IndexRow> = fc.record({
  id: fc.maxSafeNat(),
  storyId: fc.maxSafeNat(),
  publishedAt: time,
  arrivedAt: time,
  version: fc.nat(),
  keyHash: fc.maxSafeNat(),
  fingerprint: fc.nat({ max: 2 ** 32 - 1 }),
  isGone: fc.boolean(),
});
const optionalTime = fc.option(fc.maxSafeNat());
const choice: fc.Arbitrary<StoryChoice> = fc
  .record({
    read: fc.option(fc.boolean()),
    readSeq: fc.nat(),
    starredAt: optionalTime,
    laterAt: optionalTime,
  })
  .map((one) => (one.read === null ? { ...one, readSeq: 0 } : one));

describe('packed numbers', () => {
  it('R6 every integer is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger()), (values) => {
        const writer = new NumberWriter();
        for (const value of values) writer.put(value);
        const reader = new NumberReader(writer.bytes());
        // There is no -0.
        for (const value of values) expect(reader.next()).toBe(value + 0);
        expect(() => reader.next()).toThrow(RangeError);
      }),
    );
  });

  it('R6 what is no integer of 53 bits is rejected', () => {
    for (const value of [Number.NaN, 0.5, 2 ** 53, Number.POSITIVE_INFINITY])
      expect(() => new NumberWriter().put(value)).toThrow(RangeError);
  });
});

describe('the index of a source', () => {
  it('R7 is read as it was written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id }), (rows) => {
        const sorted = rows.toSorted((a, b) => a.id - b.id);
        expect(unpackIndex('a', 1, packRows(sorted)).rows()).toEqual(sorted);
        expect(SourceIndex.of('a', 1, sorted).rows()).toEqual(sorted);
      }),
    );
  });

  it('R7 fits into a document, whatever the rows are', () => {
    const largest = (id: number): IndexRow => ({
      id,
      storyId: 0,
      publishedAt: -8.64e15,
      arrivedAt: 1e14,
      version: id % 2 === 0 ? 0 : 2 ** 52,
      keyHash: Number.MAX_SAFE_INTEGER,
      fingerprint: 2 ** 32 - 1,
      isGone: true,
    });
    for (const count of [MAX_SOURCE_ENTRIES + MAX_GONE_ENTRIES, MAX_ORPHANS]) {
      const step = Math.floor(Number.MAX_SAFE_INTEGER / (count + 1));
      const rows = Array.from({ length: count }, (_, nth) => largest((nth + 1) * step));
      expect(packRows(rows).length).toBeLessThan(MAX_DOCUMENT_BYTES - 10_000);
    }
  });

  it('R1 hashes of keys are integers of 53 bits, and IDs grow whatever the clock says', () => {
    fc.assert(
      fc.property(fc.string(), fc.maxSafeNat(), time, (key, newest, now) => {
        expect(Number.isSafeInteger(hashOfKey(key))).toBe(true);
        if (newest < Number.MAX_SAFE_INTEGER) expect(nextId(newest, now)).toBeGreaterThan(newest);
      }),
    );
    expect(Number.isSafeInteger(nextId(0, Date.UTC(2080, 0, 1)))).toBe(true);
  });
});

describe('the choices of a person', () => {
  it('R6 are read as they were written', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.maxSafeNat(), choice), { selector: ([id]) => id }),
        (choices) => {
          const sorted = choices.toSorted(([a], [b]) => a - b);
          const parts = packChoices(sorted);
          expect(parts.flatMap(({ content }) => unpackChoices(content))).toEqual(sorted);
        },
      ),
    );
  });

  it('R6 are divided so that each part fits into a document', () => {
    const one: StoryChoice = { read: false, readSeq: 2 ** 40, starredAt: 2 ** 52, laterAt: 2 ** 52 };
    const step = 2 ** 34;
    const choices = Array.from({ length: 100_000 }, (_, nth) => [(nth + 1) * step, one] as const);
    const parts = packChoices(choices);
    expect(parts.length).toBeGreaterThan(5);
    for (const { content } of parts) expect(content.length).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
    expect(parts.flatMap(({ content }) => unpackChoices(content))).toEqual(choices);
    expect(parts.map(({ from }) => from)).toEqual(parts.map(({ content }) => unpackChoices(content)[0]?.[0]));
  });
});

describe('the words of an entry', () => {
  it('R12 are at most as many as the index has, those of the title first', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 2_000 }),
        fc.lorem({ maxCount: 400 }),
        (any, words) => {
          const added: NewEntry = {
            key: 'k' as ItemKey,
            url: 'https://example.org/',
            title: 'Zebras 東京',
            author: any,
            excerpt: words,
            imageUrl: null,
            language: null,
            publishedAt: NOW,
            points: null,
            enclosures: [],
            sourceId: 'a',
            sourceName: any,
            content: `<p>${any}</p><p>${words}</p>`,
          };
          const tokens = tokensOf(newStoredEntry(added, 1, 1, NOW));
          expect(tokens.length).toBeLessThanOrEqual(MAX_TOKENS);
          expect(tokens).toEqual(expect.arrayContaining(['zebras', '東京', '東', '京']));
          expect(tokens.every((token) => token.isWellFormed())).toBe(true);
        },
      ),
    );
  });
});
