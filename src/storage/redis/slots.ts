import slotOf from 'cluster-key-slot';

const SLOTS = 16_384;

let tags: readonly string[] | null = null;

/** A short string that hashes to this slot: in braces, it places a key there. */
export function hashTagOf(slot: number): string {
  tags ??= findHashTags();
  return tags[slot] ?? '';
}

function findHashTags(): readonly string[] {
  const found = new Array<string>(SLOTS);
  for (let missing = SLOTS, n = 0; missing > 0; n++) {
    const tag = n.toString(36);
    const slot = slotOf(tag);
    if (found[slot] !== undefined) continue;
    found[slot] = tag;
    missing -= 1;
  }
  return found;
}
