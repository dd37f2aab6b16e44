import type { Enclosure } from '../item/item.ts';

/** As stored: the first one with the others inside, so that what was stored when there was only one has the same form. */
export interface StoredEnclosure extends Enclosure {
  readonly more?: readonly Enclosure[];
}

export function storedEnclosure([first, ...more]: readonly Enclosure[]): StoredEnclosure | null {
  if (first === undefined) return null;
  return more.length === 0 ? first : { ...first, more };
}

export function enclosuresFrom(stored: StoredEnclosure | null | undefined): readonly Enclosure[] {
  if (!stored) return [];
  const { more = [], ...first } = stored;
  return [first, ...more];
}
