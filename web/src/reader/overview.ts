import { batch, signal } from '@preact/signals';
import type { EntryState } from '../../../src/reader/entry-store.ts';
import { guests, me, onPersonChange } from '../session.ts';
import { type Overview, type OverviewSource, readerApi } from './api.ts';
import { waitingStories } from './waiting.ts';

/** Sources, folders, counts and saved searches; `null` before the first answer. */
export const overview = signal<Overview | null>(null);

/** Several changes within this time cause one request. */
const SOON_MS = 800;
/** Coming back to the tab asks again, but not more often than this. */
const FOCUS_INTERVAL_MS = 15_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let readAt = 0;
let turn = 0;

export async function refreshOverview(): Promise<void> {
  if (me.value === null && !guests.value) return;
  clearTimeout(timer);
  readAt = Date.now();
  turn += 1;
  const mine = turn;
  try {
    const answer = await readerApi.overview();
    // A later request, or a change of the counts meanwhile, knows better.
    if (mine === turn) batch(() => takeOver(answer));
  } catch {
    // The counts stay as they are; the next event or the next focus asks again.
  }
}

/** The newsroom has not counted the changes that wait to be sent. */
function takeOver(answer: Overview): void {
  overview.value = answer;
  for (const { sourceIds, before, after } of waitingStories()) countChange(new Set(sourceIds), before, after);
}

export function refreshOverviewSoon(): void {
  turn += 1;
  clearTimeout(timer);
  timer = setTimeout(() => void refreshOverview(), SOON_MS);
}

export function sourceOf(id: string): OverviewSource | null {
  return overview.value?.sources.find((source) => source.id === id) ?? null;
}

/** Paths as the API names them. */
export function folderPath(path: readonly string[]): string {
  return path.join('/');
}

/** Whether a source is in the folder or in one of its inner folders. */
export function isInFolder(source: OverviewSource, folder: string): boolean {
  const path = folderPath(source.folders);
  return path === folder || path.startsWith(`${folder}/`);
}

/** The unread stories of a list, as far as they are counted. */
export function unreadOf(scope: {
  readonly source?: string | undefined;
  readonly folder?: string | undefined;
}): number {
  const all = overview.value;
  if (all === null) return 0;
  if (scope.source !== undefined) return sourceOf(scope.source)?.unread ?? 0;
  if (scope.folder !== undefined)
    return all.folders.find(({ path }) => folderPath(path) === scope.folder)?.unread ?? 0;
  return all.unread.all;
}

/** A story whose state changed. */
export function countChange(sourceIds: ReadonlySet<string>, before: EntryState, after: EntryState): void {
  if (before.read !== after.read) countStory(sourceIds, after.read ? -1 : 1);
  countMarked('starred', Number(after.starredAt !== null) - Number(before.starredAt !== null));
  countMarked('later', Number(after.laterAt !== null) - Number(before.laterAt !== null));
}

/** A story that became read (`-1`) or unread (`1`), with all sources that told it. */
function countStory(sourceIds: ReadonlySet<string>, by: 1 | -1): void {
  const all = overview.value;
  if (all === null) return;
  const carrying = all.sources.filter(({ id }) => sourceIds.has(id));
  const step = (n: number, applies: boolean): number => (applies ? Math.max(0, n + by) : n);
  overview.value = {
    ...all,
    unread: {
      all: step(all.unread.all, true),
      home: step(
        all.unread.home,
        carrying.some(({ followed }) => followed),
      ),
    },
    folders: all.folders.map((folder) => ({
      ...folder,
      unread: step(
        folder.unread,
        carrying.some((source) => isInFolder(source, folderPath(folder.path))),
      ),
    })),
    sources: all.sources.map((source) => ({
      ...source,
      unread: step(source.unread, sourceIds.has(source.id)),
    })),
  };
}

function countMarked(kind: 'starred' | 'later', by: number): void {
  const all = overview.value;
  if (all !== null) overview.value = { ...all, [kind]: Math.max(0, all[kind] + by) };
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && Date.now() - readAt > FOCUS_INTERVAL_MS) void refreshOverview();
});

onPersonChange(() => {
  overview.value = null;
});
