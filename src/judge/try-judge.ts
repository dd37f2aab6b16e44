import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArticleReader } from '../articles/article.ts';
import type { Clock } from '../time/clock.ts';
import type {
  ArticleText,
  Evaluation,
  Interests,
  Judge,
  Judgement,
  Screening,
  Summary,
  SummaryStyle,
  Usage,
} from './judge.ts';
import { estimateTokens } from './text-length.ts';

/** One article judged manually, with all results (`judge try`). */
export interface Trial {
  readonly article: {
    readonly url: string;
    readonly title: string;
    readonly characters: number;
    readonly tokens: number;
  };
  /** `null` if there are no interests. */
  readonly evaluation: Judgement<Evaluation> | null;
  readonly screening: Judgement<Screening>;
  readonly summary: Judgement<Summary>;
  /** Of all questions together; cached answers cost nothing. */
  readonly usage: Usage;
}

export type TrialOutcome =
  | { readonly outcome: 'tried'; readonly trial: Trial }
  | { readonly outcome: 'unreadable'; readonly detail: string };

export interface TryDeps {
  readonly judge: Judge;
  /** `null`: relevance is not evaluated. */
  readonly interests: Interests | null;
  readonly reader: ArticleReader;
  readonly style: SummaryStyle;
  readonly clock: Clock;
}

/** Reads the page or file and asks every question. Nothing is recorded and nothing is published. */
export async function tryJudge(target: string, deps: TryDeps, signal?: AbortSignal): Promise<TrialOutcome> {
  const read = /^https?:\/\//i.test(target)
    ? await fromUrl(target, deps.reader, signal)
    : await fromFile(target);
  if (typeof read === 'string') return { outcome: 'unreadable', detail: read };
  const startedAt = deps.clock.monotonic();
  const evaluation = deps.interests === null ? null : await deps.judge.evaluate(read, deps.interests, signal);
  const screening = await deps.judge.screen(read, [], signal);
  const summary = await deps.judge.summarise(read, [], deps.style, signal);
  const ms = Math.round(deps.clock.monotonic() - startedAt);
  return {
    outcome: 'tried',
    trial: {
      article: {
        url: read.url,
        title: read.title,
        characters: [...read.text].length,
        tokens: estimateTokens(read.text),
      },
      evaluation,
      screening,
      summary,
      usage: { ...totalUsage([...(evaluation === null ? [] : [evaluation]), screening, summary]), ms },
    },
  };
}

async function fromUrl(
  url: string,
  reader: ArticleReader,
  signal: AbortSignal | undefined,
): Promise<ArticleText | string> {
  const outcome = await reader.read(url, signal);
  if (outcome.outcome !== 'article') return `${url} cannot be read: ${outcome.detail}`;
  const { article } = outcome;
  return {
    url: article.url,
    title: article.title,
    text: article.text,
    headings: article.headings,
    ...(article.language === null ? {} : { language: article.language }),
  };
}

/** A text file: its first line is the title. HTML loses its markup. */
async function fromFile(path: string): Promise<ArticleText | string> {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const why =
      cause instanceof TypeError ? 'it is not UTF-8 text' : 'there is no such file, or it may not be read';
    return `${path} cannot be read: ${why}`;
  }
  if (/^\.html?$/i.test(extname(path))) content = await withoutMarkup(content);
  const lines = content.trim().split(/\r?\n/);
  const title = (lines[0] ?? '').replace(/^#+\s*/, '').trim();
  const text = lines.slice(1).join('\n').trim();
  if (title === '' && text === '') return `${path} cannot be read: it is empty`;
  return { url: pathToFileURL(path).href, title: title || basename(path), text: text === '' ? title : text };
}

async function withoutMarkup(html: string): Promise<string> {
  const { default: sanitize } = await import('sanitize-html');
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1]?.trim();
  const body = html
    .replace(/<head[\s\S]*?<\/head>/i, '')
    .replace(/<\/(?:p|div|h[1-6]|li|tr|section|article)>|<br\s*\/?>/gi, '\n');
  const text = sanitize(body, { allowedTags: [], allowedAttributes: {}, parser: { decodeEntities: true } });
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
  return title === undefined ? plain : `${title}\n${plain}`;
}

function totalUsage(judgements: readonly Judgement<unknown>[]): Omit<Usage, 'ms'> {
  const sum = { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0 };
  for (const judgement of judgements) {
    if (judgement.outcome !== 'judged') continue;
    const { usage } = judgement.by;
    sum.calls += usage.calls;
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.microUsd += usage.microUsd;
  }
  return sum;
}
