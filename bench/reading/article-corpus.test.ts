import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readArticleCorpus } from './article-corpus.ts';
import { segmentQuality, textQuality } from './text-quality.ts';

let folder = '';

function corpus(files: Readonly<Record<string, string | Uint8Array>>): string {
  folder = mkdtempSync(join(tmpdir(), 'article-corpus-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const evaluated = JSON.stringify({
  'https://a.example/1': {
    file: 'a.html',
    with: ['The harbour stays  open', 'ferries'],
    without: ['Imprint'],
  },
  'https://a.example/2': { file: 'b.html', with: ['Grüße'], without: ['Mehr zum Thema', 'Impressum'] },
  'https://a.example/3': { file: 'missing.html', with: ['x'], without: ['y'] },
});

describe('article corpora', () => {
  it.each(['', 'tests/'])('Q11 reads segments as trafilatura keeps them, %s', (place) => {
    const { segments, texts } = readArticleCorpus(
      corpus({
        [`${place}evaldata.json`]: evaluated,
        [`${place}cache/a.html`]: '<p>The harbour stays open.</p>',
        [`${place}eval/b.html`]: Buffer.from('<meta charset="iso-8859-1"><p>Grüße</p>', 'latin1'),
      }),
    );
    expect(texts).toEqual([]);
    expect(segments.map(({ name, html }) => [name, html.replace(/<[^>]*>/g, '')])).toEqual([
      ['a.html', 'The harbour stays open.'],
      ['b.html', 'Grüße'],
    ]);
    // Found: one of three segments that belong to the articles, one of three that do not.
    const { precision, recall, f1 } = segmentQuality(segments, (html) =>
      html.includes('harbour') ? 'The harbour\nstays open.' : 'Impressum',
    );
    expect([precision, recall, f1]).toEqual([1 / 2, 1 / 3, 0.4]);
  });

  it('Q11 reads whole texts as article-extraction-benchmark keeps them', () => {
    const { texts } = readArticleCorpus(
      corpus({
        'ground-truth.json': JSON.stringify({ abc: { articleBody: 'one two three four five' } }),
        'html/abc.html.gz': gzipSync('<p>one two three four five</p>'),
      }),
    );
    expect(texts).toEqual([
      { name: 'abc', html: '<p>one two three four five</p>', text: 'one two three four five' },
    ]);
    expect(textQuality(texts, () => 'one two three four and more')).toMatchObject({
      precision: 1 / 3,
      recall: 1 / 2,
    });
  });

  it('Q11 reads pages beside their texts', () => {
    const found = readArticleCorpus(corpus({ 'a.html': '<p>One</p>', 'a.txt': 'One', 'b.html': '' }));
    expect(found.texts).toEqual([{ name: 'a.html', html: '<p>One</p>', text: 'One' }]);
  });

  it('names what is missing in a folder that holds no corpus', () => {
    expect(() => readArticleCorpus(corpus({ 'a.html': '' }))).toThrow(/no ground-truth\.json/);
  });
});
