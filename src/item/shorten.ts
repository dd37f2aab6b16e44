/** Made at its first use, since it takes a while. */
let graphemes: Intl.Segmenter | null = null;

/** The graphemes of a text: what a reader takes for one character. */
export function* graphemesOf(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

const unitsOf = ({ length }: string): number => length;

/**
 * A text cut between graphemes so that it fits, with an ellipsis where something is missing. `widthOf` measures one grapheme;
 * by default its UTF-16 units, as limits of APIs count. The ellipsis counts as 1.
 */
export function shorten(
  text: string,
  limit: number,
  widthOf: (grapheme: string) => number = unitsOf,
): string {
  if (widthOf === unitsOf && text.length <= limit) return text;
  let width = 0;
  let fits = 0;
  let end = 0;
  for (const grapheme of graphemesOf(text)) {
    width += widthOf(grapheme);
    if (width > limit) return limit < 1 ? '' : `${text.slice(0, fits).trimEnd()}…`;
    end += grapheme.length;
    if (width < limit) fits = end;
  }
  return text;
}
