import fc from 'fast-check';
import { parseOpml } from 'feedsmith';
import { describe, expect, it } from 'vitest';
import { type OpmlFeed, parseOpmlDocument, writeOpml } from './opml.ts';

function opml(body: string): string {
  return `<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>${body}</body></opml>`;
}

const feed = (name: string): string =>
  `<outline type="rss" text="${name}" xmlUrl="https://${name}.example/feed"/>`;

/** The input, and the expected feeds as `folder/folder:title=address`; or why it is no OPML. */
const CORPUS: readonly [name: string, text: string, expected: readonly string[] | 'not_opml'][] = [
  ['a flat list', opml(feed('a') + feed('b')), [':a=https://a.example/feed', ':b=https://b.example/feed']],
  [
    'folders',
    opml(
      `<outline text="News"><outline text="Japan">${feed('a')}</outline>${feed('b')}</outline>${feed('c')}`,
    ),
    ['News/Japan:a=https://a.example/feed', 'News:b=https://b.example/feed', ':c=https://c.example/feed'],
  ],
  ['empty folders', opml('<outline text="Empty"/><outline text="Also"></outline>'), []],
  ['an empty body', opml(''), []],
  [
    'categories instead of folders',
    opml('<outline text="a" xmlUrl="https://a.example/" category="/News/Japan,/Other"/>'),
    ['News/Japan:a=https://a.example/'],
  ],
  [
    'other letter case',
    '<OPML><BODY><OUTLINE TEXT="a" XMLURL="https://a.example/"/></BODY></OPML>',
    [':a=https://a.example/'],
  ],
  [
    'single quotes and no quotes',
    opml("<outline text='a' xmlUrl=https://a.example/ />"),
    [':a=https://a.example/'],
  ],
  [
    'ampersands that are not escaped',
    opml('<outline text="Q&A" xmlUrl="https://a.example/?x=1&y=2"/>'),
    [':Q&A=https://a.example/?x=1&y=2'],
  ],
  [
    'outlines that never close',
    opml('<outline text="a" xmlUrl="https://a.example/"><outline text="b" xmlUrl="https://b.example/">'),
    [':a=https://a.example/', ':b=https://b.example/'],
  ],
  [
    'a file that is cut off',
    opml(feed('a') + feed('b')).slice(0, -10),
    [':a=https://a.example/feed', ':b=https://b.example/feed'],
  ],
  [
    'a file that is cut off in a tag',
    `${opml(feed('a')).split('</body>')[0]}<outline text="b" xmlUrl="https://b.exam`,
    [':a=https://a.example/feed'],
  ],
  ['text before the declaration', `Here it is:\n${opml(feed('a'))}`, [':a=https://a.example/feed']],
  ['no body', '<opml><outline text="a" xmlUrl="https://a.example/"/></opml>', [':a=https://a.example/']],
  ['no opml', '<outline text="a" xmlUrl="https://a.example/"/>', [':a=https://a.example/']],
  ['no title', opml('<outline xmlUrl="https://a.example/x"/>'), [':a.example=https://a.example/x']],
  [
    'markup in a title',
    opml('<outline text="&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more" xmlUrl="https://a.example/"/>'),
    [':Bold & more=https://a.example/'],
  ],
  [
    'a feed: address',
    opml(
      '<outline text="a" xmlUrl="feed://a.example/x"/><outline text="b" xmlUrl="feed:https://b.example/x"/>',
    ),
    [':a=https://a.example/x', ':b=https://b.example/x'],
  ],
  [
    'a file as an address',
    opml(`<outline text="a" xmlUrl="file:///etc/passwd"/>${feed('b')}`),
    [':b=https://b.example/feed'],
  ],
  ['a script as an address', opml('<outline text="a" xmlUrl="javascript:alert(1)"/>'), []],
  ['a password in an address', opml('<outline text="a" xmlUrl="https://me:secret@a.example/"/>'), []],
  ['a link that is no feed', opml('<outline type="link" text="a" url="https://a.example/"/>'), []],
  ['an address without a scheme', opml('<outline text="a" xmlUrl="a.example/feed"/>'), []],
  ['the same twice', opml(feed('a') + feed('a')), [':a=https://a.example/feed']],
  [
    'the same by other spelling',
    opml(
      '<outline text="a" xmlUrl="https://a.example/feed"/><outline text="a" xmlUrl="HTTPS://A.example:443/feed/?utm_source=x"/>',
    ),
    [':a=https://a.example/feed'],
  ],
  [
    'the same in two folders',
    opml(`<outline text="One">${feed('a')}</outline><outline text="Two">${feed('a')}</outline>`),
    ['One:a=https://a.example/feed'],
  ],
  ['depth', opml('<outline text="f">'.repeat(300)), 'not_opml'],
  ['entities of entities', `<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]>${opml(feed('a'))}`, 'not_opml'],
  ['a feed', '<rss><channel><title>x</title></channel></rss>', 'not_opml'],
  ['a page', '<!doctype html><html><body>x</body></html>', 'not_opml'],
  ['nothing', '', 'not_opml'],
  ['JSON', '{"a":1}', 'not_opml'],
];

describe('reading OPML', () => {
  for (const [name, text, expected] of CORPUS) {
    it(`X14 ${name}`, () => {
      const reading = parseOpmlDocument(text);
      const found =
        reading.outcome === 'read'
          ? reading.feeds.map((one) => `${one.folders.join('/')}:${one.title}=${one.url}`)
          : reading.outcome;
      expect(found).toEqual(expected);
    });
  }

  it('X14 reports what it skipped, and never a password', () => {
    const reading = parseOpmlDocument(
      opml(
        `${feed('a')}${feed('a')}<outline text="Local" xmlUrl="file:///x"/><outline text="Mine" xmlUrl="https://me:secret@b.example/"/><outline xmlUrl="gopher://u:secret@c.example"/>`,
      ),
    );
    if (reading.outcome !== 'read') throw new Error('not read');
    expect(reading.duplicates).toHaveLength(1);
    expect(reading.problems).toHaveLength(3);
    expect(reading.problems[0]).toBe('Local: "file:///x" is no address of the web');
    expect(reading.problems.join()).not.toContain('secret');
  });

  it('X14 reports its progress', () => {
    const steps: [number, number][] = [];
    parseOpmlDocument(opml(Array.from({ length: 250 }, (_, n) => feed(`f${n}`)).join('')), {
      onProgress: (done, total) => void steps.push([done, total]),
    });
    expect(steps).toEqual([
      [0, 250],
      [100, 250],
      [200, 250],
      [250, 250],
    ]);
  });

  it('X14 ten thousand feeds are read', () => {
    const many = opml(Array.from({ length: 10_000 }, (_, n) => feed(`f${n}`)).join(''));
    const reading = parseOpmlDocument(many);
    expect(reading.outcome === 'read' && reading.feeds.length).toBe(10_000);
  });
});

describe('writing OPML', () => {
  const title = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => text.replace(/[<>&\s]+/g, ' ').trim() || 'x');
  const feeds = fc.uniqueArray(
    fc.record({
      title,
      url: fc.webUrl().map((url) => new URL(url).href),
      home: fc.option(fc.webUrl().map((url) => new URL(url).href)),
      folders: fc.array(title, { maxLength: 3 }),
    }),
    { maxLength: 8, selector: (one) => new URL(one.url).hostname },
  );
  const sorted = (list: readonly OpmlFeed[]): OpmlFeed[] =>
    [...list].sort((a, b) => (a.url < b.url ? -1 : 1));
  // Normalisation of titles is not tested here.
  const tidy = (text: string): string =>
    text
      .toWellFormed()
      .replace(/[\p{C}\p{Z}\ufffd]+/gu, ' ')
      .trim();

  it('X14 a written list is parsed again with its folders', () => {
    return fc.assert(
      fc.asyncProperty(feeds, async (list) => {
        const reading = parseOpmlDocument(await writeOpml(list, { title: 'Mine', now: 0 }));
        if (reading.outcome !== 'read') throw new Error(reading.detail);
        expect(sorted(reading.feeds).map(({ url, home }) => ({ url, home }))).toEqual(
          sorted(list).map(({ url, home }) => ({ url, home })),
        );
        expect(sorted(reading.feeds).map((one) => one.folders.length)).toEqual(
          sorted(list).map((one) => one.folders.filter((name) => tidy(name) !== '').length),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('X14 another reader understands it', async () => {
    const list: OpmlFeed[] = [
      {
        title: 'A & "B" <c>',
        url: 'https://a.example/?x=1&y=2',
        home: 'https://a.example/',
        folders: ['新聞', 'R&D'],
      },
      { title: 'Plain', url: 'https://b.example/', home: null, folders: [] },
    ];
    const parsed = parseOpml(await writeOpml(list, { title: 'Kawaraban', now: 0 }));
    expect(parsed.head?.title).toBe('Kawaraban');
    expect(parsed.body?.outlines).toMatchObject([
      { text: 'Plain', xmlUrl: 'https://b.example/' },
      {
        text: '新聞',
        outlines: [
          {
            text: 'R&D',
            outlines: [
              { text: 'A & "B" <c>', xmlUrl: 'https://a.example/?x=1&y=2', htmlUrl: 'https://a.example/' },
            ],
          },
        ],
      },
    ]);
  });

  it('X14 writes a list without feeds, and a title with characters that XML does not allow', async () => {
    expect(parseOpmlDocument(await writeOpml([], { title: 'Mine' }))).toMatchObject({
      title: 'Mine',
      feeds: [],
    });
    const odd = {
      title: 'a\u0000\u000bb\ufffe \ud800',
      url: 'https://a.example/',
      home: null,
      folders: ['\u0001'],
    };
    const text = await writeOpml([odd], { title: '\u0002' });
    expect(text).not.toMatch(/[\p{Cc}--\n]|\ufffe/v);
    expect(parseOpmlDocument(text)).toMatchObject({ feeds: [{ url: odd.url, folders: [] }] });
  });
});
