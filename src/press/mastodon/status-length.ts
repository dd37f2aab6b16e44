import { graphemesOf, shorten } from '../../item/shorten.ts';

/**
 * Addresses as Mastodon finds them: with a scheme and a host that has a dot and a name at its end. Where the end is in
 * doubt (brackets, quotes, other scripts, a full stop), the shorter one is taken and the rest counts in full.
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

/** The text without its last graphemes, so that it loses at least `count` of them; an ellipsis takes their place. */
export function dropGraphemes(text: string, count: number): string {
  const left = countGraphemes(text) - count;
  return left < 2 ? '' : shorten(text, left, () => 1);
}

function countGraphemes(text: string): number {
  return [...graphemesOf(text)].length;
}
