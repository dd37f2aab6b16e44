import { batch, computed, signal } from '@preact/signals';
import type { ShownDrop } from '../../src/server/api/timelines.ts';
import { ApiError, api } from './api.ts';
import { type LiveStatus, listen } from './live.ts';

/**
 * The news as this reader sees it. New drops are counted and shown when the reader asks for them, so that nothing
 * moves under the eyes; deleted ones vanish at once.
 */
export const drops = signal<readonly ShownDrop[] | null>(null);
export const trouble = signal<ApiError | null>(null);
export const status = signal<LiveStatus>('connecting');
export const loadingOlder = signal(false);
export const reachedEnd = computed(() => older.value === null);
/** ID of the first drop that was there before the reader last asked for new ones. */
export const seenFrom = signal<string | null>(null);
export const waitingCount = computed(() => waiting.value.size);

const older = signal<string | null>(null);
const waiting = signal<ReadonlySet<string>>(new Set());
let newer = '';
let stopListening: (() => void) | null = null;

const PAGE = '30';
/** More than this came since the reader looked: the page is begun anew instead of filled up. */
const MOST_AT_ONCE = 500;

export async function openNews(): Promise<void> {
  if (drops.value === null) await loadFirst();
}

export async function loadFirst(): Promise<void> {
  try {
    const page = await api.local({ limit: PAGE });
    batch(() => {
      drops.value = page.drops;
      older.value = page.cursors.older;
      waiting.value = new Set();
      seenFrom.value = null;
      trouble.value = null;
    });
    newer = page.cursors.newer;
    stopListening?.();
    stopListening = listen(newer, {
      newDrop: (id) => {
        if (drops.value?.some((drop) => drop.id === id)) return;
        waiting.value = new Set([...waiting.value, id]);
      },
      dropDeleted: forget,
      reset: () => void takeStock(),
      status: (next) => {
        status.value = next;
      },
    });
  } catch (error) {
    trouble.value = asTrouble(error);
  }
}

export async function loadOlder(): Promise<void> {
  if (loadingOlder.value || older.value === null) return;
  loadingOlder.value = true;
  try {
    const page = await api.local({ max_id: older.value, limit: PAGE });
    batch(() => {
      drops.value = withoutRepeats([...(drops.value ?? []), ...page.drops]);
      older.value = page.cursors.older;
      trouble.value = null;
    });
  } catch (error) {
    trouble.value = asTrouble(error);
  } finally {
    loadingOlder.value = false;
  }
}

export async function showNew(): Promise<void> {
  const before = drops.value?.[0]?.id ?? null;
  try {
    const found: ShownDrop[] = [];
    let top = '';
    for (let max: string | undefined; ; ) {
      const page = await api.local({ since_id: newer, limit: '100', ...(max ? { max_id: max } : {}) });
      if (top === '') top = page.cursors.newer;
      found.push(...page.drops);
      if (found.length > MOST_AT_ONCE) return loadFirst();
      if (page.cursors.older === null) break;
      max = page.cursors.older;
    }
    newer = top;
    batch(() => {
      drops.value = withoutRepeats([...found, ...(drops.value ?? [])]);
      waiting.value = new Set();
      seenFrom.value = before;
      trouble.value = null;
    });
  } catch (error) {
    trouble.value = asTrouble(error);
  }
}

/** The stream no longer knows what was missed: compares the top of the news with what is shown. */
async function takeStock(): Promise<void> {
  try {
    const page = await api.local({ limit: '100' });
    const there = new Set(page.drops.map((drop) => drop.id));
    const shown = drops.value ?? [];
    const lowest = page.cursors.older === null ? '' : (page.drops.at(-1)?.id ?? '');
    batch(() => {
      // IDs grow with time, so what lies above the page's lowest and is not on it was deleted.
      drops.value = shown.filter((drop) => drop.id < lowest || there.has(drop.id));
      const known = new Set(shown.map((drop) => drop.id));
      waiting.value = new Set([...there].filter((id) => !known.has(id) && id > (shown[0]?.id ?? '')));
    });
  } catch (error) {
    trouble.value = asTrouble(error);
  }
}

function forget(id: string): void {
  batch(() => {
    if (waiting.value.has(id)) waiting.value = new Set([...waiting.value].filter((other) => other !== id));
    if (drops.value?.some((drop) => drop.id === id))
      drops.value = drops.value.filter((drop) => drop.id !== id);
  });
}

function withoutRepeats(list: readonly ShownDrop[]): readonly ShownDrop[] {
  return [...new Map(list.map((drop) => [drop.id, drop])).values()];
}

export function asTrouble(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(String(error), -1);
}
