import { fill, type Template, type TemplateName } from '../template.ts';
import { dropGraphemes, statusLength } from './status-length.ts';

export interface InstanceLimits {
  readonly maxCharacters: number;
  /** What an address counts, however long it is; `null` where each of its characters counts. */
  readonly charactersPerUrl: number | null;
}

/** What Mastodon allows where an instance does not say otherwise. */
export const USUAL_LIMITS: InstanceLimits = { maxCharacters: 500, charactersPerUrl: 23 };

/** What gives way when a status is too long, in this order; the address never does. */
const GIVES_WAY: readonly TemplateName[] = ['summary', 'also', 'topics', 'author', 'title', 'source'];

export type StatusText =
  | { readonly fits: true; readonly text: string }
  | { readonly fits: false; readonly text: string; readonly over: number };

/** The words of a status, shortened to what the instance takes (B18). A content warning counts with them. */
export function statusOf(
  whole: Readonly<Record<TemplateName, string>>,
  template: Template,
  limits: InstanceLimits,
  contentWarning = '',
): StatusText {
  const values = { ...whole };
  for (const name of GIVES_WAY) {
    for (let over = tooMany(); over > 0 && values[name] !== ''; over = tooMany()) {
      values[name] = dropGraphemes(values[name], over);
    }
  }
  const text = fill(template, values);
  const over = tooMany();
  return over > 0 ? { fits: false, text, over } : { fits: true, text };

  function tooMany(): number {
    return charactersOver(fill(template, values), contentWarning, limits);
  }
}

/** By how many characters a status is too long for the instance; 0 or less = it fits. */
export function charactersOver(text: string, contentWarning: string, limits: InstanceLimits): number {
  const { maxCharacters, charactersPerUrl } = limits;
  return statusLength(text, charactersPerUrl) + statusLength(contentWarning, null) - maxCharacters;
}
