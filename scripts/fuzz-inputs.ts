/** The same numbers for the same seed, on every machine (mulberry32). In [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pieces that parsers trip over. */
const ODD_PIECES = [
  '\0',
  '\r\n',
  '\t',
  '%00',
  '%2e%2e',
  '%25',
  '@',
  '\\',
  '//',
  ':',
  '.',
  '[',
  ']',
  '#',
  '?',
  '&',
  '&amp;',
  '&#0;',
  '&#x110000;',
  '<',
  '>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE',
  '<!ENTITY a "a">',
  '"',
  "'",
  '{',
  '}',
  '-1',
  '0x',
  '1e309',
  '99999999999',
  '0000',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '。',
  '１',
  '²',
  'ß',
  'İ',
  '\ud800',
  '😀',
  '--',
  '+09:00',
  'Z',
  'NaN',
  '__proto__',
];

/** A new input from existing ones: changed, cut, joined, repeated, or random bytes. */
export function grow(pool: readonly Buffer[], random: () => number): Buffer {
  const any = <T>(list: readonly T[], fallback: T): T => list[Math.floor(random() * list.length)] ?? fallback;
  const empty = Buffer.alloc(0);
  if (random() < 0.05)
    return Buffer.from(Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
  let input: Buffer = any(pool, empty);
  for (let changes = 1 + Math.floor(random() * 6); changes > 0; changes--) {
    const at = Math.floor(random() * (input.length + 1));
    const end = Math.min(input.length, at + Math.floor(random() * 12));
    const part = input.subarray(at, end);
    const before = input.subarray(0, at);
    const kind = random();
    if (kind < 0.3)
      input = Buffer.concat([
        before,
        Buffer.from(any(ODD_PIECES, '')),
        input.subarray(random() < 0.5 ? at : end),
      ]);
    else if (kind < 0.45) input = Buffer.concat([before, input.subarray(end)]);
    else if (kind < 0.6)
      input = Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), input.subarray(at + 1)]);
    else if (kind < 0.75) {
      const times = 1 + Math.floor(random() * (random() < 0.05 ? 2000 : 8));
      input = Buffer.concat([before, ...Array.from({ length: times }, () => part), input.subarray(at)]);
    } else if (kind < 0.9) {
      const other = any(pool, empty);
      input = Buffer.concat([before, other.subarray(Math.floor(random() * other.length))]);
    } else input = before;
  }
  return input;
}

/** A smaller input that fails as well, found by removing pieces. */
export async function shrink(input: Buffer, fails: (input: Buffer) => Promise<boolean>): Promise<Buffer> {
  let smallest = input;
  for (let size = Math.ceil(smallest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < smallest.length; ) {
      const without = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await fails(without)) smallest = without;
      else at += size;
    }
  return smallest;
}
