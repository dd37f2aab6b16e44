import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PUBLIC_HALVES, summaryCorpus, topicCorpus } from './public-corpus.ts';
import { bootstrap } from './summary-quality.ts';

const folders: string[] = [];

function file(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'public-corpus-'));
  folders.push(folder);
  const name = join(folder, 'corpus');
  writeFileSync(name, content);
  return name;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const titles = [
  'Sci/Tech\tLander reaches the far side\tThe lander arrived on Monday.',
  'Sports\tHarbour Rovers win the cup\tThey beat Mill Town.',
  'movie-enter\t港の映画祭が開幕',
  'cycling\tA label of its own',
  '\tno label',
  'Sports\t',
  '',
];

describe('public corpora', () => {
  it('Q17 titles have the interest that a person would write for their label', () => {
    const name = file(titles.join('\r\n'));
    const texts = PUBLIC_HALVES.flatMap((half) => topicCorpus(name, half).texts);
    expect(texts.map(({ topic, title, lead }) => `${topic}: ${title}${lead}`).toSorted()).toEqual([
      'cycling: A label of its own',
      'science and technology: Lander reaches the far side',
      'sport: Harbour Rovers win the cup',
      '映画: 港の映画祭が開幕',
    ]);
    const withText = PUBLIC_HALVES.flatMap((half) => topicCorpus(name, half, true).texts);
    expect(withText.map(({ lead }) => lead)).toContain('They beat Mill Town.');
  });

  it('Q17 a title stays in its half when others come to the file', () => {
    const many = Array.from({ length: 40 }, (_, place) => `news\tStreet number ${place} is closed`);
    const titlesOf = (lines: readonly string[]): string[] =>
      topicCorpus(file(lines.join('\n')), 'development').texts.map(({ title }) => title);
    const all = titlesOf(many);
    expect(all.length).toBeGreaterThan(10);
    expect(all.length).toBeLessThan(30);
    const kept = new Set(titlesOf(many.slice(20).toReversed()));
    expect([...kept].every((title) => all.includes(title))).toBe(true);
  });

  it('Q19 articles have a text and a summary, and perhaps a title', () => {
    const name = file(
      [
        { corpus: 'x', title: 'Bridge', text: 'The bridge is closed.', summary: 'Closed.' },
        { text: '橋は閉鎖された。', summary: '閉鎖。' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    const articles = PUBLIC_HALVES.flatMap((half) => summaryCorpus(name, half));
    expect(
      articles
        .map(({ article: { title, language }, summary, corpus }) => [title, language, summary, corpus])
        .toSorted(),
    ).toEqual([
      ['', 'ja', '閉鎖。', ''],
      ['Bridge', 'en', 'Closed.', 'x'],
    ]);
  });

  it('Q19 the interval of a clear difference excludes 0, that of noise contains it', () => {
    const clear = bootstrap([0.3, 0.2, 0.25, 0.1, 0.35, 0.2]);
    expect(clear.from).toBeGreaterThan(0);
    expect(clear.mean).toBeCloseTo(0.233, 3);
    const noise = bootstrap([0.3, -0.3, 0.2, -0.2, 0.1, -0.1]);
    expect(noise.from).toBeLessThan(0);
    expect(noise.to).toBeGreaterThan(0);
  });
});
