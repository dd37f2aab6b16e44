/** How Redis Cluster spreads keys: CRC16 (XMODEM) of the part in braces, or of the whole key, modulo 16384. */
export const SLOTS = 16_384;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

export function slotOf(key: string): number {
  const bytes = Buffer.from(hashed(key), 'utf8');
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOTS;
}

function hashed(key: string): string {
  const start = key.indexOf('{');
  const end = start < 0 ? -1 : key.indexOf('}', start + 1);
  return end > start + 1 ? key.slice(start + 1, end) : key;
}

let tags: readonly string[] | null = null;

/** A short text that lies in this slot: put in braces, it takes a key there. */
export function tagOf(slot: number): string {
  tags ??= findTags();
  return tags[slot] ?? '';
}

function findTags(): readonly string[] {
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
