/** About as many tokens as a real model would count: four Latin characters, or a little more than one other. */
export function countTokens(text: string): number {
  const wide = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4 + wide * 0.8);
}

/** The beginning of a text that costs at most so many tokens. */
export function cutToTokens(text: string, most: number): string {
  if (countTokens(text) <= most) return text;
  let [least, end] = [0, text.length];
  while (least < end) {
    const middle = Math.ceil((least + end) / 2);
    if (countTokens(text.slice(0, middle)) <= most) least = middle;
    else end = middle - 1;
  }
  return text.slice(0, least);
}
