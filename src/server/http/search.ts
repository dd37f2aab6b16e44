import type { Item } from '../../item/item.ts';
import { BadCursorError } from '../../ledger/filter.ts';
import type { Newsroom, Viewer } from './newsroom.ts';
import { badRequest } from './problem.ts';

export interface SearchBody {
  readonly items: readonly (Item & { readonly pipeline: string })[];
  readonly next: string | null;
}

interface SearchRequest {
  readonly q: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Start of the next page: a pipeline, and a cursor in it. */
interface SearchPosition {
  readonly pipeline: string;
  readonly cursor: string | null;
}

/**
 * Searches the pipelines one after the other, each by newest change first. A page may be shorter than requested,
 * even empty, while `next` is set: a store without a search index is scanned in parts.
 */
export async function search(
  newsroom: Newsroom,
  { q, limit, cursor }: SearchRequest,
  viewer: Viewer,
): Promise<SearchBody> {
  const pipelines = (await newsroom.pipelines('guest')).map(({ id }) => id);
  const start =
    cursor === undefined ? { pipeline: pipelines[0] ?? '', cursor: null } : decodePosition(cursor);
  const items: (Item & { readonly pipeline: string })[] = [];
  let at = pipelines.indexOf(start.pipeline);
  if (at < 0 && cursor !== undefined) throw badCursor();
  for (let from = start.cursor; at >= 0 && at < pipelines.length; at++, from = null) {
    const pipeline = pipelines[at] ?? '';
    const left = limit - items.length;
    if (left <= 0) return { items, next: encodePosition({ pipeline, cursor: from }) };
    const page = await newsroom
      .items(pipeline, { text: q, limit: left, ...(from === null ? {} : { cursor: from }) }, viewer)
      .catch((error: unknown) => {
        throw error instanceof BadCursorError ? badCursor() : error;
      });
    items.push(...(page?.items ?? []).map((item) => ({ ...item, pipeline })));
    if (page?.next != null) return { items, next: encodePosition({ pipeline, cursor: page.next }) };
  }
  return { items, next: null };
}

function encodePosition(place: SearchPosition): string {
  return Buffer.from(JSON.stringify([place.pipeline, place.cursor])).toString('base64url');
}

function decodePosition(written: string): SearchPosition {
  try {
    const read: unknown = JSON.parse(Buffer.from(written, 'base64url').toString('utf8'));
    const [pipeline, cursor] = Array.isArray(read) ? (read as unknown[]) : [];
    if (typeof pipeline === 'string' && (cursor === null || typeof cursor === 'string'))
      return { pipeline, cursor };
  } catch {
    // Reported below as a bad request.
  }
  throw badCursor();
}

function badCursor(): Error {
  return badRequest([{ field: 'cursor', detail: 'is not a cursor from an earlier answer' }]);
}
