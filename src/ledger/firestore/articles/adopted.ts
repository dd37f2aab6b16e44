import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { Reason } from '../../../item/lifecycle.ts';
import type { ArticleHome } from '../layouts/articles.ts';
import { line, type StoredItem } from '../stored-item.ts';

/** An article that another program recorded under the same contract: as much as its fields tell. */
export function adopted(snapshot: DocumentSnapshot, key: ItemKey, home: ArticleHome): StoredItem {
  const at = snapshot.createTime?.toMillis() ?? 0;
  const score: unknown = snapshot.get('relevance_score');
  const title: unknown = snapshot.get('article_title');
  const messageId: unknown = snapshot.get('discord_message_id');
  const state = home === 'notified' ? 'published' : 'rejected';
  const reason = home === 'notified' ? 'none' : (String(snapshot.get('reason') ?? 'low_relevance') as Reason);
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
