/** Beyond this the exact amount does not matter. */
const MAX_COUNTED = 20_000;
/** Number of characters, sampled over the whole page, that determine its script. */
const SAMPLED_CHARACTERS = 3000;

/**
 * Amount of information of a text, in Latin letters: a character of Japanese, Chinese or Korean counts as two and a half
 * of them.
 */
export function substance(text: string): number {
  let dense = 0;
  const end = Math.min(text.length, MAX_COUNTED);
  for (let index = 0; index < end; index++) if (isDense(text.charCodeAt(index))) dense++;
  return text.length + dense * 1.5;
}

/** Whether a text has as much information. Long texts are not counted. */
export function hasSubstance(text: string, amount: number): boolean {
  return text.length >= amount || substance(text) >= amount;
}

/** Whether a text is written mostly without spaces between words. */
export function isDenseScript(text: string): boolean {
  let dense = 0;
  let letters = 0;
  const step = Math.max(1, Math.floor(text.length / SAMPLED_CHARACTERS));
  for (let index = 0; index < text.length; index += step) {
    const code = text.charCodeAt(index);
    if (isDense(code)) dense++;
    else if (code > 0x40) letters++;
  }
  // Markup is Latin letters, so a small share of the source is a large share of the text.
  return dense * step > 50 && dense > letters * 0.05;
}

/** A character of Japanese, Chinese or Korean. */
export function isDense(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af)
  );
}
