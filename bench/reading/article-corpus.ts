import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeText } from '../../src/fetch/text-encoding.ts';

/** A page and the whole text of its article. */
export interface WholeText {
  readonly name: string;
  readonly html: string;
  readonly text: string;
}

/** A page and parts of its text: some that belong to the article, some that do not. */
export interface Segments {
  readonly name: string;
  readonly html: string;
  readonly within: readonly string[];
  readonly without: readonly string[];
}

export interface ArticleCorpus {
  readonly texts: readonly WholeText[];
  readonly segments: readonly Segments[];
}

/**
 * Pages with what a reader should find in them. A folder is one of these:
 *
 * - a clone of scrapinghub/article-extraction-benchmark (`ground-truth.json`, `html/<id>.html.gz`);
 * - a clone of adbar/trafilatura, or its folder `tests` (`evaldata.json`, pages in `cache` and `eval`);
 * - `name.html` beside `name.txt`.
 */
export function readArticleCorpus(folder: string): ArticleCorpus {
  const truth = join(folder, 'ground-truth.json');
  if (existsSync(truth)) return { texts: wholeTexts(folder, truth), segments: [] };
  for (const tests of [folder, join(folder, 'tests')]) {
    const data = join(tests, 'evaldata.json');
    if (existsSync(data)) return { texts: [], segments: segments(tests, data) };
  }
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.html') && existsSync(join(folder, file.replace(/html$/, 'txt'))))
    .map((file) => ({
      name: file,
      html: decoded(readFileSync(join(folder, file))),
      text: readFileSync(join(folder, file.replace(/html$/, 'txt')), 'utf8'),
    }));
  if (texts.length === 0)
    throw new Error(`${folder} has no ground-truth.json, no evaldata.json, and no name.html beside name.txt`);
  return { texts, segments: [] };
}

function wholeTexts(folder: string, truth: string): readonly WholeText[] {
  const articles = JSON.parse(readFileSync(truth, 'utf8')) as Record<string, { articleBody?: string }>;
  return Object.entries(articles).map(([name, { articleBody = '' }]) => ({
    name,
    html: gunzipSync(readFileSync(join(folder, 'html', `${name}.html.gz`))).toString('utf8'),
    text: articleBody,
  }));
}

interface EvaluatedPage {
  readonly file: string;
  readonly with: readonly string[];
  readonly without: readonly string[];
}

function segments(tests: string, data: string): readonly Segments[] {
  const pages = Object.values(JSON.parse(readFileSync(data, 'utf8')) as Record<string, EvaluatedPage>);
  return pages.flatMap(({ file, with: within, without }) => {
    const path = ['cache', 'eval'].map((part) => join(tests, part, file)).find((each) => existsSync(each));
    return path === undefined ? [] : [{ name: file, html: decoded(readFileSync(path)), within, without }];
  });
}

/** As the program decodes a page whose response says nothing about its encoding. */
function decoded(bytes: Uint8Array): string {
  return decodeText(bytes, undefined, { html: true }).text;
}
