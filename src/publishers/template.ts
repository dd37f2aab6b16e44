import { createHash } from 'node:crypto';
import { plainLine } from './plain-text.ts';
import type { Content, ContentItem } from './publisher.ts';

/** The placeholders of a template and their meaning. */
export const TEMPLATE_NAMES = {
  title: 'the title, as the source gave it',
  summary: 'the summary, or nothing',
  url: 'the address of the item',
  source: 'the name of the source',
  also: 'names of the other sources that carried it',
  score: 'the relevance, 0–100',
  topics: 'the matching topics, separated by commas',
  author: 'the author, where the source names one',
  date: 'the day of publication, YYYY-MM-DD',
  pipeline: 'the pipeline that publishes it',
} as const;
export type TemplateName = keyof typeof TEMPLATE_NAMES;

export type TemplatePart = { readonly text: string } | { readonly name: TemplateName };

export interface Template {
  readonly parts: readonly TemplatePart[];
  /** Changes with the text, so that another wording is another message. */
  readonly version: string;
}

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  /** `unknown`: the unknown placeholder, if that is the problem. */
  | { readonly ok: false; readonly problem: string; readonly unknown?: string };

/**
 * Reads a template such as `{title}\n\n{summary}\n{url}`; `{{` and `}}` stand for the braces themselves. `plain`: it
 * may also be the same words for every item.
 */
export function parseTemplate(source: string, { plain = false } = {}): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let text = '';
  for (const [token, name] of source.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/gu)) {
    if (token === '{{' || token === '}}') text += token[0];
    else if (name !== undefined) {
      const known = name.trim();
      if (!isTemplateName(known)) {
        return {
          ok: false,
          unknown: known,
          problem: `{${name}} is not known; a template can use ${Object.keys(TEMPLATE_NAMES).join(', ')}`,
        };
      }
      if (text !== '') parts.push({ text });
      text = '';
      parts.push({ name: known });
    } else if (token === '{' || token === '}') {
      return { ok: false, problem: `a lone "${token}"; write "${token}${token}" for the character itself` };
    } else text += token;
  }
  if (text !== '') parts.push({ text });
  if (!plain && !parts.some((part) => 'name' in part))
    return { ok: false, problem: 'it uses no placeholder of the item, not even {url}' };
  return {
    ok: true,
    template: { parts, version: createHash('sha256').update(source).digest('hex').slice(0, 8) },
  };
}

function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATE_NAMES, name);
}

/** Every value as one safe line (see `plainLine`); the address unchanged. */
export function templateValues(
  { item, summary, alsoSeenIn }: ContentItem,
  { pipeline }: Pick<Content, 'pipeline'>,
): Record<TemplateName, string> {
  return {
    title: plainLine(item.title),
    summary: plainLine(summary ?? ''),
    url: item.url,
    source: plainLine(item.sourceName),
    also: plainLine(alsoSeenIn.join(', ')),
    score: item.verdict?.score == null ? '' : String(item.verdict.score),
    topics: plainLine(item.verdict?.topics.join(', ') ?? ''),
    author: plainLine(item.author ?? ''),
    date: new Date(item.publishedAt).toISOString().slice(0, 10),
    pipeline,
  };
}

/** Fills in a template. Consecutive empty lines collapse into one. */
export function fillTemplate(template: Template, values: Readonly<Record<TemplateName, string>>): string {
  return template.parts
    .map((part) => ('name' in part ? values[part.name] : part.text))
    .join('')
    .replace(/[ \t]+$/gmu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}
