import { randomFillSync } from 'node:crypto';

/**
 * Drop IDs are UUIDv7: they sort by time and contain it, so that a position in a timeline is known from the ID of a
 * deleted drop. Within one millisecond, and when the clock goes back, the IDs of one generator still only increase.
 */
export interface DropIds {
  next(): { readonly id: string; readonly time: number };
}

export interface DropIdOptions {
  now(): number;
  /** Fills an array with random bytes; defaults to the system's generator. */
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;
  /** Start above this ID, for example the newest one stored, so that a clock set back cannot reorder drops. */
  readonly after?: string;
}

const UUID_V7_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_TIME_MS = 2 ** 48 - 1;
const COUNTER_LIMIT = 2 ** 12;

export function createDropIds({ now, random = randomFillSync, after }: DropIdOptions): DropIds {
  let lastTime = -1;
  let counter = 0;
  const since = after === undefined ? null : dropIdTime(after);
  if (since !== null && after !== undefined) {
    lastTime = since;
    counter = Number.parseInt(after.slice(15, 18), 16);
  }
  return {
    next() {
      const time = Math.min(Math.max(0, Math.trunc(now())), MAX_TIME_MS);
      const tail = random(new Uint8Array(10));
      if (time > lastTime) {
        lastTime = time;
        // The upper half stays free as headroom for the counter.
        counter = (((tail[8] ?? 0) << 8) | (tail[9] ?? 0)) & 0x7ff;
      } else if (++counter >= COUNTER_LIMIT) {
        lastTime += 1;
        counter = 0;
      }
      return { id: compose(lastTime, counter, tail), time: lastTime };
    },
  };
}

/** The time in an ID; `null` if it is not a UUIDv7 in lower case. */
export function dropIdTime(id: string): number | null {
  if (!UUID_V7_PATTERN.test(id)) return null;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function compose(time: number, counter: number, tail: Uint8Array): string {
  const stamp = time.toString(16).padStart(12, '0');
  const count = counter.toString(16).padStart(3, '0');
  const variant = (0x80 | ((tail[0] ?? 0) & 0x3f)).toString(16);
  const rest = [...tail.subarray(1, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${count}-${variant}${rest.slice(0, 2)}-${rest.slice(2)}`;
}
