/** Any URL counts as this many characters, whatever its length. */
export const CHARACTERS_PER_URL = 23;

const URL_PATTERN = /https?:\/\/[^\s<>"'()（）「」、。]+/giu;
const MENTION =
  /(?<![=/\p{L}\p{N}_])@([a-z0-9_]+(?:[a-z0-9_.-]+[a-z0-9_]+)?)(@[\p{L}\p{N}.-]+[\p{L}\p{N}]+)?/giu;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The length as Mastodon counts it: graphemes, URLs at a fixed length, remote mentions without their domain. */
export function countCharacters(text: string, spoiler: string, perUrl: number = CHARACTERS_PER_URL): number {
  const countable = text
    .replace(URL_PATTERN, 'x'.repeat(perUrl))
    .replace(MENTION, (_, user: string) => `@${user}`);
  return [...graphemes.segment(spoiler + countable)].length;
}

/** All users whom the text mentions: `user`, or `user@domain`. Mastodon searches URLs, too. */
export function mentionsIn(text: string): string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, user = '', domain = '']) => user + domain))];
}

/** The text as Mastodon shows it: paragraphs, line breaks and links. */
export function contentHtml(text: string): string {
  const escaped = text.replace(
    /[&<>"]/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c,
  );
  const linked = escaped.replace(
    /https?:\/\/[^\s<>"'()（）「」、。]+/giu,
    (url) => `<a href="${url}" target="_blank" rel="nofollow noopener noreferrer">${url}</a>`,
  );
  return linked
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br />')}</p>`)
    .join('');
}
