import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleReader } from '../articles/article.ts';
import { systemClock } from '../time/clock.ts';
import { CONTRACT_INTERESTS, CONTRACT_STYLE } from './contract/judge.ts';
import { JAPANESE_ARTICLE } from './contract/sample-answers.ts';
import { createLocalJudge } from './local/local-judge.ts';
import { tryJudge } from './try-judge.ts';

const reader: ArticleReader = {
  warmUp: async () => {},
  read: async (url) =>
    url.endsWith('/kosodate')
      ? {
          outcome: 'article',
          article: {
            url,
            canonicalUrl: null,
            title: JAPANESE_ARTICLE.title,
            byline: null,
            language: 'ja',
            publishedAt: null,
            text: JAPANESE_ARTICLE.text,
            headings: [],
            imageUrl: null,
            attachments: [],
          },
        }
      : { outcome: 'unreadable', why: 'not_found', detail: 'it answered 404', retryable: false },
};

describe('judge try', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'kawaraban-try-'));
  });
  afterAll(() => rm(home, { recursive: true }));

  const deps = {
    judge: createLocalJudge(),
    interests: CONTRACT_INTERESTS,
    reader,
    style: CONTRACT_STYLE,
    clock: systemClock,
  };

  it('shows verdict, topics, summary and cost of a page', async () => {
    const outcome = await tryJudge('https://example.jp/kosodate', deps);
    expect(outcome).toMatchObject({
      outcome: 'tried',
      trial: {
        article: { title: JAPANESE_ARTICLE.title },
        evaluation: { outcome: 'judged', value: { topics: ['子育て支援'] } },
        screening: { outcome: 'judged', value: { decision: 'worth_it' } },
        summary: { outcome: 'judged' },
        usage: { calls: 0, microUsd: 0 },
      },
    });
  });

  it('reads a text file and an HTML file', async () => {
    const html = join(home, 'a.html');
    await writeFile(
      html,
      `<html><head><title>${JAPANESE_ARTICLE.title}</title><script>x()</script></head><body><p>${JAPANESE_ARTICLE.text}</p><p>A &amp; B &lt;c&gt;</p></body></html>`,
    );
    const text = join(home, 'a.md');
    await writeFile(text, `# ${JAPANESE_ARTICLE.title}\n\n${JAPANESE_ARTICLE.text}\n`);
    for (const path of [html, text]) {
      expect(await tryJudge(path, deps)).toMatchObject({
        trial: {
          article: { title: JAPANESE_ARTICLE.title },
          evaluation: { value: { topics: ['子育て支援'] } },
        },
      });
    }
  });

  it('reports plainly what cannot be read', async () => {
    await writeFile(join(home, 'empty.txt'), ' \n');
    await writeFile(join(home, 'binary.txt'), Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0xff]));
    for (const [target, why] of [
      ['https://example.jp/gone', 'it answered 404'],
      [join(home, 'missing.txt'), 'no such file'],
      [join(home, 'empty.txt'), 'empty'],
      [join(home, 'binary.txt'), 'not UTF-8'],
    ] as const) {
      const outcome = await tryJudge(target, deps);
      expect(outcome).toMatchObject({ outcome: 'unreadable', detail: expect.stringContaining(why) });
    }
  });
});
