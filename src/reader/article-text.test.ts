import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import type { ArticleOutcome, ArticleReader } from '../articles/article.ts';
import { createArticleReader } from '../articles/article-reader.ts';
import { IsolatedThread } from '../articles/isolated/isolated-thread.ts';
import { plainFetcher } from '../fetch/loopback.fixture.ts';
import type { ItemKey } from '../item/item.ts';
import { systemClock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ArticleTexts, isFullContent } from './article-text.ts';
import type { Entry, EntryId, EntryText } from './entry-store.ts';

const sentence = 'The harbour stays open this winter, the council said, and all nine ferries will run. ';
const long = `<p>${sentence.repeat(20)}</p>`;

function entry(fields: Partial<Entry> = {}): Entry {
  const url = fields.url ?? 'https://a.example/1';
  return {
    id: 1,
    key: url as ItemKey,
    storyId: 1,
    url,
    title: 'Harbour',
    author: null,
    excerpt: null,
    imageUrl: null,
    language: null,
    publishedAt: 0,
    arrivedAt: 5,
    points: null,
    enclosures: [],
    sourceIds: ['a'],
    ...fields,
  };
}

let texts: Map<EntryId, EntryText>;
let clock: ManualClock;

/** The kept texts of the entry store. */
function kept(): {
  text(id: EntryId): Promise<EntryText | null>;
  saveText(id: EntryId, text: EntryText): Promise<void>;
} {
  return {
    text: async (id) => texts.get(id) ?? null,
    saveText: async (id, text) => void texts.set(id, text),
  };
}

const fromFeed = (html: string): EntryText => ({ html, origin: 'feed', byline: null, fetchedAt: 1 });

function articleOf(html: string): ArticleOutcome {
  return {
    outcome: 'article',
    article: {
      url: 'https://a.example/1',
      canonicalUrl: null,
      title: 'Harbour',
      byline: 'Ann',
      language: 'en',
      publishedAt: null,
      text: 'unused',
      html,
      headings: [],
      imageUrl: null,
      attachments: [],
    },
  };
}

interface StubbedReader extends Pick<ArticleReader, 'read'> {
  readonly signals: AbortSignal[];
}

function answering(...outcomes: readonly (ArticleOutcome | Promise<ArticleOutcome>)[]): StubbedReader {
  const signals: AbortSignal[] = [];
  return {
    signals,
    read: async (_, signal, options) => {
      expect(options).toEqual({ html: true });
      if (signal !== undefined) signals.push(signal);
      const outcome = outcomes[Math.min(signals.length, outcomes.length) - 1];
      if (outcome === undefined) throw new Error('The page was not to be read.');
      return outcome;
    },
  };
}

const NOT_FOUND: ArticleOutcome = {
  outcome: 'unreadable',
  why: 'not_found',
  detail: 'the server answered 404',
  retryable: false,
};

beforeEach(() => {
  texts = new Map();
  clock = new ManualClock(1_000_000);
});

describe('the text of an entry', () => {
  it('R10 whole content of the feed is shown without reading the page', async () => {
    texts.set(1, fromFeed(long));
    const articles = answering();
    const read = await new ArticleTexts({ entries: kept(), articles, clock }).textOf(entry());
    expect(read).toEqual({ outcome: 'text', text: fromFeed(long) });
    expect(articles.signals).toHaveLength(0);
  });

  it('R10 a page replaces the excerpt of the feed, and is read once and kept', async () => {
    texts.set(1, fromFeed('<p>The harbour stays open…</p>'));
    const articles = answering(articleOf(long));
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    const text = { html: long, origin: 'page', byline: 'Ann', fetchedAt: clock.now() };
    expect(await reader.textOf(entry())).toEqual({ outcome: 'text', text });
    expect(await reader.textOf(entry())).toEqual({ outcome: 'text', text });
    expect(texts.get(1)).toEqual(text);
    expect(articles.signals).toHaveLength(1);
  });

  it('R10 a first heading that repeats the title is left out', async () => {
    const articles = answering(articleOf(`<div><h2>Harbour!</h2>${long}<h2>Harbour</h2></div>`));
    const read = await new ArticleTexts({ entries: kept(), articles, clock }).textOf(entry());
    expect(read).toMatchObject({ text: { html: `<div>${long}<h2>Harbour</h2></div>` } });
  });

  it('R10 a failure is kept for minutes, with a reason and what to do', async () => {
    const articles = answering(NOT_FOUND, articleOf(long));
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    const failed = await reader.textOf(entry());
    expect(failed).toEqual({
      outcome: 'unavailable',
      why: 'not_found',
      reason:
        'Failed to read the article: the page does not exist any more (the server answered 404). Open the original page.',
      retryAt: clock.now() + 5 * MINUTE,
    });
    await clock.advance(5 * MINUTE - 1);
    expect(await reader.textOf(entry())).toEqual(failed);
    expect(articles.signals).toHaveLength(1);
    await clock.advance(1);
    expect(await reader.textOf(entry())).toMatchObject({ outcome: 'text' });
    expect(articles.signals).toHaveLength(2);
  });

  it.each([
    ['cannot be read', NOT_FOUND],
    ['has less text', articleOf('<p>Menu</p>')],
  ])('R10 the excerpt of the feed stays where the page %s', async (_, outcome) => {
    const excerpt = fromFeed('<p>The harbour stays open…</p>');
    texts.set(1, excerpt);
    const articles = answering(outcome);
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    expect(await reader.textOf(entry())).toEqual({ outcome: 'text', text: excerpt });
    expect(await reader.textOf(entry())).toEqual({ outcome: 'text', text: excerpt });
    expect(articles.signals).toHaveLength(1);
    expect(texts.get(1)).toEqual(excerpt);
  });

  it('R10 concurrent requests share one read, which only the last one that leaves stops', async () => {
    const { promise, resolve } = Promise.withResolvers<ArticleOutcome>();
    const articles = answering(promise);
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    const leaving = new AbortController();
    const first = reader.textOf(entry(), leaving.signal);
    const second = reader.textOf(entry());
    await expect.poll(() => articles.signals.length).toBe(1);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(articles.signals[0]?.aborted).toBe(false);
    resolve(articleOf(long));
    expect(await second).toMatchObject({ outcome: 'text' });
    expect(articles.signals).toHaveLength(1);
  });

  it('R10 a read that everyone left is stopped, and the next request starts another one', async () => {
    const articles = answering(new Promise(() => {}), articleOf(long));
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    const leaving = new AbortController();
    const first = reader.textOf(entry(), leaving.signal);
    await expect.poll(() => articles.signals.length).toBe(1);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(articles.signals[0]?.aborted).toBe(true);
    expect(await reader.textOf(entry())).toMatchObject({ outcome: 'text' });
  });

  it.each([
    ['a video', { key: 'https://www.youtube.com/watch?v=abcdefghijk' as ItemKey }],
    [
      'an episode',
      {
        enclosures: [
          {
            url: 'https://a.example/1.mp3',
            type: 'audio/mpeg',
            lengthBytes: null,
            durationSeconds: null,
          },
        ],
      },
    ],
    ['a discussion', { url: 'https://news.ycombinator.com/item?id=1' }],
  ])('R10 %s shows what its source says, and its page is not read', async (_, fields) => {
    const reader = new ArticleTexts({ entries: kept(), articles: answering(), clock });
    const described = await reader.textOf(entry({ ...fields, excerpt: 'On <knots>.' }));
    const text = { html: '<p>On &lt;knots&gt;.</p>', origin: 'feed', byline: null, fetchedAt: 5 };
    expect(described).toEqual({ outcome: 'text', text });
    expect(await reader.textOf(entry(fields))).toMatchObject({ outcome: 'unavailable', why: 'no_text' });
    texts.set(1, fromFeed('<p>Short.</p>'));
    expect(await reader.textOf(entry(fields))).toEqual({ outcome: 'text', text: fromFeed('<p>Short.</p>') });
  });
});

describe('isFullContent', () => {
  it.each([
    ['an article', long, true],
    ['an article with a signature', `${long}<p>The post Harbour appeared first on The News.</p>`, true],
    ['a Japanese article', `<p>${'港は冬も開いていると市議会は述べた。'.repeat(40)}</p>`, true],
    ['a short text', '<p>The harbour stays open.</p>', false],
    ['a text that is cut', `<p>${sentence.repeat(20)} and then […]</p>`, false],
    [
      'an ellipsis and a signature',
      `${long.replace('</p>', ' …</p>')}<p>The post A appeared first on B.</p>`,
      false,
    ],
    ['a link to the rest', `${long}<p><a href="/1">Continue reading Harbour &rarr;</a></p>`, false],
    ['a Japanese link to the rest', `${long}<p><a href="/1">続きを読む</a></p>`, false],
  ])('R10 %s', (_, html, full) => {
    expect(isFullContent(html)).toBe(full);
  });
});

describe('the pages of the simulator', () => {
  let simulator: Simulator;
  let isolated: IsolatedThread;

  beforeAll(async () => {
    simulator = await startSimulator({ clock: new ManualClock(Date.UTC(2026, 10, 15)) });
    isolated = new IsolatedThread({ clock: systemClock });
  });
  afterAll(async () => {
    await isolated[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
  });

  it('R10 are read, sanitised and kept', async () => {
    const feed = simulator.feeds.create({ id: 'harbour' });
    const link = feed.publish({ title: 'Harbour', text: [sentence.repeat(6), sentence.repeat(7)] });
    const articles = createArticleReader({ fetcher: plainFetcher, isolated, clock: systemClock });
    const reader = new ArticleTexts({ entries: kept(), articles, clock });
    const read = await reader.textOf(entry({ url: link }));
    expect(read).toMatchObject({ outcome: 'text', text: { origin: 'page' } });
    const html = texts.get(1)?.html ?? '';
    expect(html.match(/<p>/g)?.length).toBeGreaterThanOrEqual(2);
    expect(html).toContain(sentence.trim());
    expect(html).not.toMatch(/<(?:script|style|form|nav|iframe|input)|\sstyle=|\son\w+=/i);
  });
});
