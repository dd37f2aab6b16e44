import { graphemesOf, shorten } from '../../item/shorten.ts';
import { fillTemplate, type Template, type TemplateName } from '../template.ts';

export interface InstanceLimits {
  readonly maxCharacters: number;
  /** Length of an address in the count, however long it is; `null` if each of its characters counts. */
  readonly charactersPerUrl: number | null;
}

/** Mastodon's limits, unless the instance reports others. */
export const DEFAULT_LIMITS: InstanceLimits = { maxCharacters: 500, charactersPerUrl: 23 };

/** What is shortened when a status is too long, in this order; never the address. */
const SHORTEN_ORDER: readonly TemplateName[] = ['summary', 'also', 'topics', 'author', 'title', 'source'];

export type StatusText =
  | { readonly fits: true; readonly text: string }
  | { readonly fits: false; readonly text: string; readonly over: number };

/** The text of a status, shortened to the limit of the instance (B18), including the content warning. */
export function composeStatus(
  whole: Readonly<Record<TemplateName, string>>,
  template: Template,
  limits: InstanceLimits,
  contentWarning = '',
): StatusText {
  const values = { ...whole };
  for (const name of SHORTEN_ORDER) {
    for (let over = tooMany(); over > 0 && values[name] !== ''; over = tooMany()) {
      values[name] = dropGraphemes(values[name], over);
    }
  }
  const text = fillTemplate(template, values);
  const over = tooMany();
  return over > 0 ? { fits: false, text, over } : { fits: true, text };

  function tooMany(): number {
    return charactersOver(fillTemplate(template, values), contentWarning, limits);
  }
}

/** By how many characters a status is too long for the instance; 0 or less = it fits. */
export function charactersOver(text: string, contentWarning: string, limits: InstanceLimits): number {
  const { maxCharacters, charactersPerUrl } = limits;
  return statusLength(text, charactersPerUrl) + statusLength(contentWarning, null) - maxCharacters;
}

/**
 * Addresses as Mastodon finds them: with a scheme and a host that has a dot and a name at its end. Where the end is in
 * doubt (brackets, quotes, other scripts, a full stop), the shorter match is used and the rest counts in full.
 */
const LINK =
  /https?:\/\/[^\s/?#@:()]+\.[\p{L}][\p{L}\p{N}-]+(?::\d+)?(?:[/?#](?:[\w\-.~%/?#&=+:;,!*$@]*[\w\-/%=&+#])?)?/gu;

/**
 * How long a status is as Mastodon counts: graphemes, and every address as a fixed number of characters. An address that
 * Mastodon might not recognise (no top-level name) is counted in full, so that the sum is never too small; `null` counts
 * all of them in full.
 */
export function statusLength(text: string, charactersPerUrl: number | null = 23): number {
  if (charactersPerUrl === null) return countGraphemes(text);
  let length = 0;
  let end = 0;
  for (const link of text.matchAll(LINK)) {
    length += countGraphemes(text.slice(end, link.index)) + charactersPerUrl;
    end = link.index + link[0].length;
  }
  return length + countGraphemes(text.slice(end));
}

/** The text with at least its last `count` graphemes replaced by an ellipsis. */
export function dropGraphemes(text: string, count: number): string {
  const left = countGraphemes(text) - count;
  return left < 2 ? '' : shorten(text, left, () => 1);
}

function countGraphemes(text: string): number {
  return [...graphemesOf(text)].length;
}

/**
 * Mastodon finds mentions in addresses, too: an `@` begins one unless a letter, a digit, `_`, `=` or `/` stands before it
 * (`Account::MENTION_RE`). So `/@user` in an address is harmless, and `,@user` is not.
 */
const NO_MENTION = '=/\\p{L}\\p{M}\\p{N}\\p{Pc}';
const MENTION_SIGN = new RegExp(`(?<![${NO_MENTION}])@`, 'gu');
const BEFORE_HOST = new RegExp(`([^${NO_MENTION}])@`, 'gu');
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The same address, percent-encoded where Mastodon would find a mention in it; servers read it as before. */
export function linkWithoutMention(url: string): string {
  const authority = AUTHORITY.exec(url)?.[0] ?? '';
  // The sign between a user and a host has to stay, so the character before it is encoded.
  const host = authority.replace(BEFORE_HOST, (_, before: string) => `${percentEncode(before)}@`);
  return host + url.slice(authority.length).replace(MENTION_SIGN, '%40');
}

function percentEncode(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}
