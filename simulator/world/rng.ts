/** Deterministic random numbers: the same seed gives the same world. */
export interface Rng {
  /** 0 ≤ x < 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** `count` different ones, in a random order. */
  some<T>(from: readonly T[], count: number): T[];
}

/** Random numbers that depend on the given words alone, whatever was drawn elsewhere. */
export function rngOf(...words: readonly (string | number)[]): Rng {
  let state = hash(words.join('\u001f'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(from: readonly T[]): T => {
    if (from.length === 0) throw new RangeError('nothing to pick from');
    return from[between(0, from.length - 1)] as T;
  };
  const some = <T>(from: readonly T[], count: number): T[] => {
    const rest = [...from];
    const picked: T[] = [];
    while (picked.length < count && rest.length > 0)
      picked.push(...rest.splice(between(0, rest.length - 1), 1));
    return picked;
  };
  return { next, between, pick, some };
}

/** FNV-1a over UTF-16 units: small, and the same everywhere. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
