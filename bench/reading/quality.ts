import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import { extractArticle } from '../../src/articles/extract-article.ts';
import { laidOut } from '../../src/articles/layouts.testdata.ts';
import { type PageNode, textOf } from '../../src/articles/page.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { readArticleCorpus, type WholeText } from './article-corpus.ts';
import { type Quality, segmentQuality, textQuality } from './text-quality.ts';

// The parser as others use it.
const { parseHTML } = createRequire(import.meta.url)('linkedom') as typeof import('linkedom');

/**
 * How much of the text of an article is found, and how much else: our own pages, and those in the folders that the variable
 * `ARTICLE_CORPUS` names (see `article-corpus.ts`), separated by commas.
 */
export async function quality({ log }: BenchOptions): Promise<readonly Result[]> {
  const own = (language: string): readonly WholeText[] =>
    laidOut.filter((page) => page.language === language);
  const results: Result[] = [];
  const compare = (name: string, measure: (extract: (html: string) => string) => Quality): void => {
    const ours = measure(ours1);
    const bare = measure(bare1);
    log(`${name}: ours ${figures(ours)}; bare ${figures(bare)}`);
    results.push(
      result({
        name: `F1 of the text, ${name}`,
        ours: Number(figure(ours.f1)),
        unit: '',
        peer: { name: 'readability + linkedom', value: Number(figure(bare.f1)) },
        goal: 'above the bare library',
        met: ours.f1 >= bare.f1,
      }),
    );
  };
  const compareTexts = (name: string, pages: readonly WholeText[]): void =>
    compare(`${pages.length} ${name}`, (extract) => textQuality(pages, extract));
  compareTexts('English layouts', own('en'));
  compareTexts('Japanese layouts', own('ja'));
  for (const folder of (process.env.ARTICLE_CORPUS ?? '').split(',').filter((name) => name !== '')) {
    const { texts, segments } = readArticleCorpus(folder);
    if (texts.length > 0) compareTexts(`pages of ${folder}`, texts);
    if (segments.length > 0)
      compare(`segments of ${segments.length} pages of ${folder}`, (extract) =>
        segmentQuality(segments, extract),
      );
  }
  return results;
}

function figures({ precision, recall, f1 }: Quality): string {
  return `P ${figure(precision)} R ${figure(recall)} F1 ${figure(f1)}`;
}

function figure(value: number): string {
  return value.toFixed(3);
}

function ours1(html: string): string {
  const found = extractArticle({ html, url: 'https://news.example/a.html', now: Date.now() });
  return found.kind === 'article' ? found.article.text : '';
}

function bare1(html: string): string {
  try {
    const read = new Readability<PageNode>(parseHTML(html).document as never, {
      serializer: (node) => node as unknown as PageNode,
    }).parse();
    return read?.content ? textOf(read.content) : '';
  } catch {
    return '';
  }
}
