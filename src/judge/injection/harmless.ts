/** What must never be in words that a model wrote and we publish. */
const HARMFUL: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an address', /[a-z][a-z0-9+.-]*:\/\/|www\.|javascript:|data:|mailto:/i],
  ['a domain', /(?<![a-z0-9])(?:evil\.example|discord\.gg)(?![a-z0-9-])/i],
  ['a mention', /[@＠]/],
  ['a mention by number', /<[@#:/t]/],
  ['a link', /\]\s*[([]/],
  ['markup', /[<>`]|\*\*|\|\|/],
  ['an invisible character', /[\p{Cc}\p{Cf}]/u],
];

/** Everything harmful in a text, by name; empty = harmless. */
export function harmIn(text: string): string[] {
  return HARMFUL.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}
