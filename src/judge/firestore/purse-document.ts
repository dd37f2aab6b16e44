import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { z } from 'zod';
import { contentOf, readContent } from './content.ts';
import { EMPTY_PURSE, type Purse, QUARTER } from './purse.ts';

const n = z.number();
/** Rows and not objects: a busy purse has hundreds of them, and their names would be most of the document. */
const CONTENT = z.object({
  quarters: z.array(z.tuple([n, n, n, n, n])),
  recent: z.array(z.tuple([n, n])),
  open: z.array(z.tuple([z.string(), n, n, n, n])),
});

/** A purse as a document: its name for people, the time from when a sweep finds something in it, and what was spent. */
export function purseDocument(name: string, purse: Purse): DocumentData {
  return {
    purse: name.toWellFormed(),
    sweep_from: (purse.quarters[0]?.start ?? 0) + QUARTER,
    ...contentOf({
      quarters: purse.quarters.map((q) => [q.start, q.made, q.calls, q.tokens, q.microUsd]),
      recent: purse.recent.map((r) => [r.at, r.calls]),
      open: purse.open.map((o) => [o.id, o.at, o.calls, o.tokens, o.microUsd]),
    }),
  };
}

export function purseIn(snapshot: DocumentSnapshot): Purse {
  const content = readContent(snapshot, CONTENT);
  if (content === null) return EMPTY_PURSE;
  return {
    quarters: content.quarters.map(([start, made, calls, tokens, microUsd]) => ({
      start,
      made,
      calls,
      tokens,
      microUsd,
    })),
    recent: content.recent.map(([at, calls]) => ({ at, calls })),
    open: content.open.map(([id, at, calls, tokens, microUsd]) => ({ id, at, calls, tokens, microUsd })),
  };
}
