import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { Write } from '../../../firestore/connection.ts';
import type { ItemKey } from '../../../item/item.ts';
import { REASONS, type Reason } from '../../../item/lifecycle.ts';
import { line, type ItemRecord as StoredItem } from '../../item-record.ts';
import { documentOf, storedOf } from '../document.ts';
import type { ArticleHome } from '../layouts/articles.ts';
import { pages } from '../pages.ts';
import type { ArticleShelf } from './shelf.ts';

/** Documents of one commit. */
const PER_COMMIT = 400;

/**
 * An article that another program recorded under the same contract: as much as its fields tell. Its age is that of
 * `notified_at` or `evaluated_at` (A14). Without `article_url` nothing tells its address, so its ID is its key.
 */
export function adopted(snapshot: DocumentSnapshot, key: ItemKey, home: ArticleHome): StoredItem {
  const written: unknown = snapshot.get(home === 'notified' ? 'notified_at' : 'evaluated_at');
  const at = timeOf(written) ?? snapshot.createTime?.toMillis() ?? 0;
  const score: unknown = snapshot.get('relevance_score');
  const title: unknown = snapshot.get('article_title');
  const messageId: unknown = snapshot.get('discord_message_id');
  const state = home === 'notified' ? 'published' : 'rejected';
  const reason = home === 'notified' ? 'none' : reasonOf(snapshot.get('reason'));
  return {
    item: {
      key,
      url: key,
      title: typeof title === 'string' && title !== '' ? title : key,
      publishedAt: at,
      sourceId: '',
      sourceName: '',
      state,
      reason,
      detail: null,
      attempts: 0,
      dueAt: null,
      createdAt: at,
      checkedAt: at,
      verdict: null,
    },
    nth: at * 1000,
    token: 0,
    claim: null,
    handedAt: null,
    sightings: [],
    history: [
      {
        ...line({ at, event: 'admit', from: null, to: state }),
        reason,
        detail: 'recorded by another program',
        notes: {
          ...(typeof score === 'number' && { score }),
          ...(typeof messageId === 'string' && { remoteId: messageId }),
        },
      },
    ],
    admission: '',
  };
}

/**
 * Gives the documents of another program the fields that lists, counts and the sweep ask for; what that program wrote
 * stays. Costs four counts where there are none, and a read of the collection and a write for each where there are.
 */
export async function adoptOriginals(shelf: ArticleShelf): Promise<void> {
  const { connection, queries } = shelf;
  for (const home of ['notified', 'rejected'] as const) {
    const { all, inOrder } = queries[home];
    const [there, ours] = await Promise.all([connection.count(all, []), connection.count(inOrder, [])]);
    if (there <= ours) continue;
    let writes: Write[] = [];
    for await (const snapshot of pages(connection, all)) {
      if (storedOf(snapshot) !== null) continue;
      const stored = { ...shelf.storedOf(snapshot, home), nth: shelf.order.next() };
      const { ledger } = documentOf({ fields: () => ({}) }, stored);
      writes.push({
        do: 'patch',
        at: [shelf.names[home], snapshot.id],
        data: { ledger },
        asOf: snapshot.updateTime,
      });
      if (writes.length < PER_COMMIT) continue;
      await connection.commit(writes);
      writes = [];
    }
    // After a conflict, with the other program or another replica, the rest is adopted the next time.
    await connection.commit(writes);
  }
}

function timeOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('toMillis' in value)) return null;
  return typeof value.toMillis === 'function' ? Number(value.toMillis()) : null;
}

function reasonOf(value: unknown): Reason {
  return REASONS.find((reason) => reason === value) ?? 'low_relevance';
}
