import type { DocumentSnapshot } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import { newEntry, T0 } from '../../../reader/contract/entry-store-subject.ts';
import { entryData, toStoredEntry } from './documents.ts';
import { newStoredEntry } from './stored-entry.ts';

const snapshotOf = (content: unknown): DocumentSnapshot =>
  ({ get: () => content }) as unknown as DocumentSnapshot;

describe('the documents of entries', () => {
  const recording = { url: 'https://example.org/a.mp3', type: null, lengthBytes: 7, durationSeconds: 61 };
  const notes = { url: 'https://example.org/a.pdf', type: null, lengthBytes: null, durationSeconds: null };

  it.each([[[]], [[recording]], [[recording, notes]]])(
    'Q6 hold the files of an article: %j',
    (enclosures) => {
      const stored = newStoredEntry(newEntry('Episode', { enclosures }), 1, 1, T0);
      expect(toStoredEntry(snapshotOf(entryData(stored, [], []).content))).toEqual(stored);
    },
  );

  it('Q6 of a program that stored one file of each article are continued', () => {
    const stored = newStoredEntry(newEntry('Episode', { enclosures: [recording] }), 1, 1, T0);
    const { enclosures: _enclosures, ...entry } = stored.entry;
    const written = (enclosure: unknown) => JSON.stringify({ ...stored, entry: { ...entry, enclosure } });
    expect(JSON.parse(String(entryData(stored, [], []).content))).toEqual(JSON.parse(written(recording)));
    expect(toStoredEntry(snapshotOf(written(null)))?.entry.enclosures).toEqual([]);
  });
});
