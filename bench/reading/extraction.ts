import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import type { Extraction } from '../../src/articles/extract-article.ts';
import { extractArticle } from '../../src/articles/extract-article.ts';
import { IsolatedProcess } from '../../src/articles/isolated/isolated-process.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { rounds } from '../rounds.ts';

// A separate instance of the parser: the one that our code uses has been made lighter, which would favour the peer.
const { parseHTML } = createRequire(import.meta.url)('linkedom') as typeof import('linkedom');

const MAX_RATIO = 1.3;
const TASK = new URL('../../src/articles/extract-article-task.ts', import.meta.url);
const url = 'https://news.example/2026/01/15/library.html';

/** A page of a newspaper, in English with much around it, and one in Japanese, beside the bare library. */
export async function extraction({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const japanese = readFileSync(
    new URL('../../src/articles/testdata/pages/japanese-utf8.html', import.meta.url),
    'utf8',
  );
  const pages = { English: englishPage(), Japanese: japanese };
  const results: Result[] = [];
  for (const [language, html] of Object.entries(pages)) {
    const times = quick ? 6 : 30;
    const repeat = (work: () => unknown) => (): number => {
      const began = performance.now();
      for (let time = 0; time < times; time++) work();
      return (performance.now() - began) / times;
    };
    const medians = await rounds(quick ? 7 : 15, {
      ours: repeat(() => extractArticle({ html, url, now: Date.now() })),
      bare: repeat(() => new Readability(parseHTML(html).document as never).parse()),
    });
    log(`extraction, ${language}: ours ${medians.ours.toFixed(2)} ms, bare ${medians.bare.toFixed(2)} ms`);
    results.push(
      result({
        name: `extract ${Math.round(html.length / 1024)} KB, ${language}, in the same thread`,
        ours: medians.ours,
        unit: 'ms',
        peer: { name: 'readability + linkedom', value: medians.bare },
        goal: `at most ${MAX_RATIO}× the bare library`,
        met: medians.ours <= MAX_RATIO * medians.bare,
      }),
    );
  }
  results.push(await throughTheProcess(pages.English, quick));
  return results;
}

/** The whole path: bytes to the isolated process, decoding, extraction, article back; beside the bare library on a string. */
async function throughTheProcess(html: string, quick: boolean): Promise<Result> {
  const isolated = new IsolatedProcess({ clock: systemClock });
  const bytes = Buffer.from(html);
  const times = quick ? 6 : 30;
  const extract = () =>
    isolated.run<Extraction>(TASK, { bytes, contentType: 'text/html', url, now: Date.now() }, 10_000);
  try {
    // The bare library has been warm since the parts before; the process has just been started.
    for (let time = 0; time < 150; time++) await extract();
    const medians = await rounds(quick ? 7 : 15, {
      ours: async () => {
        const began = performance.now();
        for (let time = 0; time < times; time++) await extract();
        return (performance.now() - began) / times;
      },
      bare: () => {
        const began = performance.now();
        for (let time = 0; time < times; time++) new Readability(parseHTML(html).document as never).parse();
        return (performance.now() - began) / times;
      },
    });
    return result({
      name: 'extract the English page as a user gets it: from bytes, through the isolated process',
      ours: medians.ours,
      unit: 'ms',
      peer: { name: 'readability + linkedom', value: medians.bare },
      goal: `at most ${MAX_RATIO}× the bare library`,
      met: medians.ours <= MAX_RATIO * medians.bare,
    });
  } finally {
    await isolated[Symbol.asyncDispose]();
  }
}

function englishPage(): string {
  const sentence =
    'The library will stay open until nine in the evening, the city said on Monday, and readers, many of whom work late, welcomed the news. ';
  const links = (count: number, words: string): string =>
    Array.from(
      { length: count },
      (_, n) => `<li><a href="/section/${n}/story-${n}.html">${words} ${n}</a></li>`,
    ).join('');
  const paragraphs = Array.from(
    { length: 40 },
    (_, n) =>
      `<p class="story-text">${sentence.repeat(3)}<a href="/topics/${n}">Topic ${n}</a></p>${n % 8 === 0 ? `<h2>Part ${n}</h2><figure><img src="/i/${n}.jpg" alt="A picture"><figcaption>A picture of it</figcaption></figure>` : ''}`,
  ).join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Library stays open | City News</title>
<meta property="og:title" content="Library stays open"><meta property="article:published_time" content="2026-01-15T18:30:00Z">
<link rel="canonical" href="/2026/01/15/library.html"><style>${'.a{color:red}'.repeat(400)}</style>
<script>${'window.dataLayer=window.dataLayer||[];'.repeat(400)}</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Library stays open","author":{"@type":"Person","name":"Ann"},"datePublished":"2026-01-15T18:30:00Z"}</script>
</head><body><header><nav><ul>${links(60, 'Section')}</ul></nav></header><main><article><h1>Library stays open</h1>${paragraphs}</article>
<div class="related"><ul>${links(40, 'A related story with a longer headline')}</ul></div></main>
<aside class="sidebar"><ul>${links(60, 'Most read story of the day')}</ul></aside><footer><ul>${links(40, 'About us')}</ul></footer></body></html>`;
}
