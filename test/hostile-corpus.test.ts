import { describe, expect, it } from 'vitest';
import { hostileMarkup } from '../src/articles/hostile-markup.testdata.ts';
import { hostilePages } from '../src/articles/pages.testdata.ts';
import { documents } from '../src/articles/pdf/documents.testdata.ts';
import { hostileFeeds } from '../src/feeds/hostile-feeds.testdata.ts';
import { badAddresses } from '../src/fetch/addresses.testdata.ts';
import { hostileRedirects, hostileResponses } from '../src/fetch/responses.testdata.ts';
import { brokenLists, oddItems } from '../src/sources/hackernews/hackernews-responses.testdata.ts';
import { brokenAnswers } from '../src/sources/youtube/youtube-responses.testdata.ts';

/** One input of the corpus: what it is, the expected result, and whether that is less than a plain reading. */
interface Entry {
  readonly name: string;
  readonly expected: unknown;
  readonly refused: boolean;
}

/** The tables that the tests of each reader loop over, by content. */
const CORPUS: Readonly<Record<string, readonly Entry[]>> = {
  addresses: badAddresses.map(({ url, why, resolvesTo }) => ({
    name: `${url} ${resolvesTo?.join() ?? ''}`,
    expected: why,
    refused: true,
  })),
  answers: hostileResponses.map(({ name, expected }) => ({
    name,
    expected,
    refused: expected.outcome === 'failed',
  })),
  redirects: hostileRedirects.map(({ name, expected }) => ({
    name,
    expected,
    refused: expected.outcome === 'failed',
  })),
  feeds: hostileFeeds.map(([name, , expected]) => ({ name, expected, refused: expected !== 1 })),
  pages: hostilePages.map(({ name, expected }) => ({ name, expected, refused: 'why' in expected })),
  'markup of articles': hostileMarkup.map(([name, , expected]) => ({ name, expected, refused: true })),
  PDFs: documents.map(([name, expected]) => ({ name, expected, refused: expected.outcome === 'unreadable' })),
  'answers of the YouTube API': brokenAnswers.map(([name, , expected]) => ({
    name,
    expected,
    refused: true,
  })),
  'answers of Hacker News': [
    ...brokenLists.map(([name]) => ({ name: `a list: ${name}`, expected: 'bad_answer', refused: true })),
    ...oddItems.map(([name, , expected]) => ({ name, expected, refused: expected !== 'readable' })),
  ],
};

/** Minimum of hostile and broken inputs that the readers are tested with. */
const MIN_INPUTS = 150;
const MIN_INPUTS_PER_KIND = 8;

describe('the corpus of hostile and broken inputs', () => {
  const all = Object.values(CORPUS).flat();

  it(`X6 holds at least ${MIN_INPUTS} inputs that must not simply be read, of every kind that comes from outside`, () => {
    expect(all.filter(({ refused }) => refused).length).toBeGreaterThanOrEqual(MIN_INPUTS);
    for (const [kind, entries] of Object.entries(CORPUS))
      expect(entries.filter(({ refused }) => refused).length, kind).toBeGreaterThanOrEqual(
        MIN_INPUTS_PER_KIND,
      );
  });

  it.each(Object.entries(CORPUS))(
    'X6 no two of the %s are the same, and each has an expected result',
    (_, entries) => {
      const names = entries.map(({ name }) => name);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      for (const { name, expected } of entries) expect(expected, name).toBeDefined();
    },
  );
});
