/** What is remembered of an item that a feed has shown: hashes of what the feed called it, where it pointed, its title. */
export interface SeenItem {
  readonly id: string;
  readonly link: string;
  readonly title: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * 48 bits in 8 characters: enough to tell a feed's few hundred items apart, small enough to remember them all. Two
 * multiplicative hashes side by side, mixed at the end; quick rather than secure, since a feed that makes its own items
 * collide fools nobody but itself.
 */
export function shortHash(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x9e3779b1);
    b = Math.imul(b ^ c, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return fourLetters(a) + fourLetters(b);
}

function fourLetters(bits: number): string {
  const at = (shift: number): string => LETTERS.charAt((bits >>> shift) & 63);
  return at(0) + at(6) + at(12) + at(18);
}

const NOTHING = '........';

/** An empty text has no hash of its own: what is missing equals nothing. */
export function partHash(text: string | null): string {
  return text === null || text === '' ? NOTHING : shortHash(text);
}

export function isMissing(hash: string): boolean {
  return hash === NOTHING;
}

const WIDTH = 24;

export function packSeen(items: readonly SeenItem[]): string {
  return items.map((item) => item.id + item.link + item.title).join('');
}

/** Reads what `packSeen` wrote; anything else is an empty memory. */
export function unpackSeen(packed: unknown): SeenItem[] {
  if (typeof packed !== 'string' || packed.length % WIDTH !== 0) return [];
  const items: SeenItem[] = [];
  for (let at = 0; at < packed.length; at += WIDTH) {
    items.push({
      id: packed.slice(at, at + 8),
      link: packed.slice(at + 8, at + 16),
      title: packed.slice(at + 16, at + 24),
    });
  }
  return items;
}

const MOST_SEEN = 2_000;
const FEWEST_SEEN = 200;

/** What was just seen, then what was seen before; several times what the feed holds, so that reordering loses nothing. */
export function rememberSeen(now: readonly SeenItem[], before: readonly SeenItem[]): SeenItem[] {
  const limit = Math.min(MOST_SEEN, Math.max(FEWEST_SEEN, now.length * 3));
  const kept: SeenItem[] = [];
  const packed = new Set<string>();
  for (const item of [...now, ...before]) {
    const key = item.id + item.link + item.title;
    if (packed.has(key)) continue;
    packed.add(key);
    kept.push(item);
    if (kept.length >= limit) break;
  }
  return kept;
}
