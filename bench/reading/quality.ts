import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Readability } from '@mozilla/readability';
import { extractArticle } from '../../src/articles/extract-article.ts';
import { laidOut } from '../../src/articles/layouts.testdata.ts';
import { type PageNode, textOf } from '../../src/articles/page.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';

// The parser as others use it.
const { parseHTML } = createRequire(import.meta.url)('linkedom') as typeof import('linkedom');

interface Expected {
  readonly name: string;
  readonly html: string;
  readonly text: string;
}

interface Quality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/**
 * How much of the text of an article is found, and how much else: our own pages, and those in the folder that the variable
 * `ARTICLE_CORPUS` names, either `name.html` beside `name.txt`, or as article-extraction-benchmark has them
 * (`ground-truth.json`, `html/<id>.html.gz`).
 */
export async function quality({ log }: BenchOptions): Promise<readonly Result[]> {
  const own = (language: string): readonly Expected[] => laidOut.filter((page) => page.language === language);
  const folder = process.env.ARTICLE_CORPUS;
  const sets: readonly (readonly [string, readonly Expected[]])[] = [
    ['English layouts', own('en')],
    ['Japanese layouts', own('ja')],
    ...(folder === undefined ? [] : [[`pages of ${folder}`, corpus(folder)] as const]),
  ];
  return sets.map(([name, pages]) => {
    const ours = meanOf(pages, ours1);
    const bare = meanOf(pages, bare1);
    log(
      `${name}: ours P ${figure(ours.precision)} R ${figure(ours.recall)} F1 ${figure(ours.f1)}; bare P ${figure(bare.precision)} R ${figure(bare.recall)} F1 ${figure(bare.f1)}`,
    );
    return result({
      name: `F1 of the text, ${pages.length} ${name}`,
      ours: Number(figure(ours.f1)),
      unit: '',
      peer: { name: 'readability + linkedom', value: Number(figure(bare.f1)) },
      goal: 'above the bare library',
      met: ours.f1 >= bare.f1,
    });
  });
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

/** Means of precision and recall of runs of four tokens, and their F1, as article-extraction-benchmark computes them. */
function meanOf(pages: readonly Expected[], extract: (html: string) => string): Quality {
  let precision = 0;
  let recall = 0;
  for (const { html, text } of pages) {
    const expected = runs(text);
    const found = runs(extract(html));
    let common = 0;
    for (const [run, times] of found) common += Math.min(times, expected.get(run) ?? 0);
    precision += common / Math.max(1, total(found));
    recall += common / Math.max(1, total(expected));
  }
  const [p, r] = [precision / pages.length, recall / pages.length];
  return { precision: p, recall: r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) };
}

/** A character of Japanese is a token: its words are not separated. */
const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu;

function runs(text: string): ReadonlyMap<string, number> {
  const tokens = text.match(TOKEN) ?? [];
  const counted = new Map<string, number>();
  for (let index = 0; index < Math.max(1, tokens.length - 3); index++) {
    const run = tokens.slice(index, index + 4).join(' ');
    if (run !== '') counted.set(run, (counted.get(run) ?? 0) + 1);
  }
  return counted;
}

function total(counted: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const times of counted.values()) sum += times;
  return sum;
}

function corpus(folder: string): readonly Expected[] {
  const truth = join(folder, 'ground-truth.json');
  if (existsSync(truth)) {
    const articles = JSON.parse(readFileSync(truth, 'utf8')) as Record<string, { articleBody?: string }>;
    return Object.entries(articles).map(([name, { articleBody = '' }]) => ({
      name,
      html: gunzipSync(readFileSync(join(folder, 'html', `${name}.html.gz`))).toString('utf8'),
      text: articleBody,
    }));
  }
  return readdirSync(folder)
    .filter((file) => file.endsWith('.html') && existsSync(join(folder, file.replace(/html$/, 'txt'))))
    .map((file) => ({
      name: file,
      html: readFileSync(join(folder, file), 'utf8'),
      text: readFileSync(join(folder, file.replace(/html$/, 'txt')), 'utf8'),
    }));
}
