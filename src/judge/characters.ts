/** Length as a person counts it: code points, not UTF-16 units. The contracts' lengths are counted so. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

/** The first `most` characters; never half of a surrogate pair. */
export function takeCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let count = 0;
  let end = 0;
  for (const character of text) {
    if (count === most) break;
    count++;
    end += character.length;
  }
  return text.slice(0, end);
}
