/**
 * The raw value of an attribute in the tag between two offsets, or undefined. Names are compared without regard to
 * case; values without quotes are read up to the next blank; a quote that never closes ends with the tag.
 */
export function attributeOf(source: string, from: number, to: number, wanted: string): string | undefined {
  let at = from;
  while (at < to) {
    at = skipBlanks(source, at, to);
    const nameStart = at;
    while (at < to && !endsName(source.charCodeAt(at))) at++;
    const nameEnd = at;
    at = skipBlanks(source, at, to);
    if (source.charCodeAt(at) !== 61 || at >= to) {
      if (at === nameStart) at++;
      continue;
    }
    at = skipBlanks(source, at + 1, to);
    const quote = source.charCodeAt(at);
    const quoted = quote === 34 || quote === 39;
    const valueStart = quoted ? at + 1 : at;
    at = valueStart;
    while (at < to && !(quoted ? source.charCodeAt(at) === quote : endsBareValue(source.charCodeAt(at))))
      at++;
    const sameLength = nameEnd - nameStart === wanted.length;
    if (sameLength && source.slice(nameStart, nameEnd).toLowerCase() === wanted) {
      return source.slice(valueStart, Math.min(at, to - (at >= to ? 1 : 0)));
    }
    if (quoted) at++;
  }
  return undefined;
}

function skipBlanks(source: string, from: number, to: number): number {
  let at = from;
  while (at < to && source.charCodeAt(at) <= 32) at++;
  return at;
}

/** Blank, `=`, `>`, `/`, quotes. */
function endsName(c: number): boolean {
  return c <= 32 || c === 61 || c === 62 || c === 47 || c === 34 || c === 39;
}

function endsBareValue(c: number): boolean {
  return c <= 32 || c === 62;
}
