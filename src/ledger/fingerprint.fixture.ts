import { createHash } from 'node:crypto';
import type { ItemStore } from './ledger.ts';

/** Number of records in a ledger and a hash of their content. */
export interface Fingerprint {
  readonly items: number;
  readonly deliveries: number;
  readonly tombstones: number;
  readonly sha256: string;
}

/** Equal for two ledgers with the same content, regardless of engine and order. */
export async function fingerprint(ledger: ItemStore): Promise<Fingerprint> {
  const counts = { item: 0, delivery: 0, tombstone: 0 };
  let sum = 0n;
  for await (const record of ledger.dump()) {
    counts[record.kind] += 1;
    sum += BigInt(`0x${createHash('sha256').update(canonical(record)).digest('hex')}`);
  }
  const sha256 = BigInt.asUintN(256, sum).toString(16).padStart(64, '0');
  return { items: counts.item, deliveries: counts.delivery, tombstones: counts.tombstone, sha256 };
}

/** JSON with sorted object keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
