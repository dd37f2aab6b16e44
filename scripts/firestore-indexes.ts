import { ACCOUNT_QUERIES } from '../src/auth/firestore/queries.ts';
import { type CompositeIndex, indexFor } from '../src/firestore/index-need.ts';
import type { QueryForm } from '../src/firestore/query.ts';
import { JUDGE_QUERIES } from '../src/judge/firestore/queries.ts';
import { articleQueries } from '../src/ledger/firestore/articles/queries.ts';
import { ITEMS } from '../src/ledger/firestore/layouts/items.ts';
import { VIDEOS } from '../src/ledger/firestore/layouts/videos.ts';
import { queriesOf } from '../src/ledger/firestore/queries.ts';
import { COUNTS_QUERIES } from '../src/pipelines/firestore/counts-log.ts';
import { RUN_QUERIES } from '../src/pipelines/firestore/run-store.ts';
import { PRESS_QUERIES } from '../src/press/firestore/queries.ts';
import { SOCIAL_QUERIES } from '../src/social/firestore/queries.ts';
import { SOURCE_QUERIES } from '../src/sources/firestore/firestore-source-store.ts';
import { hiddenQueries, storyQueries } from '../src/stories/firestore/collections.ts';

/** Stories carry their environment (E1); those of a pipeline lie below a document of their own. */
const STORY_PREFIXES = ['prod-', 'staging-', 'ci-', 'dev-', ''];

/** Every query that the program makes, by the part that makes it. */
export function allQueries(): { readonly name: string; readonly form: QueryForm }[] {
  const { notified, rejected, ...others } = articleQueries();
  const parts: Record<string, Readonly<Record<string, QueryForm>>> = {
    notified,
    rejected,
    articles: others,
    items: queriesOf(ITEMS),
    videos: queriesOf(VIDEOS),
    runs: RUN_QUERIES,
    counts: COUNTS_QUERIES,
    sources: SOURCE_QUERIES,
    judges: JUDGE_QUERIES,
    press: PRESS_QUERIES,
    hidden: hiddenQueries('hidden'),
    accounts: ACCOUNT_QUERIES,
    social: SOCIAL_QUERIES,
  };
  for (const prefix of STORY_PREFIXES)
    parts[`${prefix}stories`] = storyQueries({ stories: `${prefix}stories`, changes: `${prefix}changes` });
  return Object.entries(parts).flatMap(([part, all]) =>
    Object.entries(all).map(([name, form]) => ({ name: `${part}.${name}`, form })),
  );
}

/** Long fields, which nobody asks by: an index of them would cost money and do nothing. */
const NOT_INDEXED: Readonly<Record<string, readonly string[]>> = {
  'ledger.content': [
    'items',
    'processed_videos',
    'notified_articles',
    'rejected_articles',
    'articles_candidates',
  ],
  content: [
    'items_outbox',
    'processed_videos_outbox',
    'articles_outbox',
    'articles_remembered',
    'sources',
    'judge_purses',
    'judge_verdicts',
    'judge_interests',
    'judge_troubles',
    'press_revisions',
    'accounts',
    'account_sessions',
    'account_links',
    'account_tokens',
    'account_marks',
    'pipeline_counts',
    'users',
    'drops',
  ],
  article_url: ['notified_articles', 'rejected_articles', 'articles_candidates'],
  key: ['items_tombstones', 'processed_videos_tombstones'],
  ...Object.fromEntries(
    ['kids', 'title', 'url', 'by'].map((field) => [
      field,
      STORY_PREFIXES.map((prefix) => `${prefix}stories`),
    ]),
  ),
  stories: STORY_PREFIXES.map((prefix) => `${prefix}cache`),
  changes: STORY_PREFIXES.map((prefix) => `${prefix}changes`),
  memory: ['prod-worker', 'staging-worker', 'ci-worker', 'dev-worker'],
};

/** For people who ask for the best of the newest (A15), and for the lists of stories (E6). */
const PROMISED: readonly CompositeIndex[] = [
  promised('notified_articles', [
    ['relevance_score', 'DESCENDING'],
    ['notified_at', 'DESCENDING'],
  ]),
  ...['prod', 'staging', 'ci', 'dev'].map((prefix) =>
    promised(`${prefix}-stories`, [
      ['time', 'ASCENDING'],
      ['updated', 'ASCENDING'],
    ]),
  ),
];

function promised(
  collectionGroup: string,
  fields: readonly (readonly [string, 'ASCENDING' | 'DESCENDING'])[],
): CompositeIndex {
  return {
    collectionGroup,
    queryScope: 'COLLECTION',
    fields: fields.map(([fieldPath, order]) => ({ fieldPath, order })),
  };
}

/** The content of `firestore.indexes.json`, for the collections without a prefix and with each of these. */
export function indexesFile(prefixes: readonly string[]): {
  indexes: CompositeIndex[];
  fieldOverrides: unknown[];
} {
  const indexes = new Map<string, CompositeIndex>(PROMISED.map((index) => [JSON.stringify(index), index]));
  for (const prefix of ['', ...prefixes])
    for (const { form } of allQueries()) {
      const index = indexFor({ ...form, collection: prefix + form.collection });
      if (index !== null) indexes.set(JSON.stringify(index), index);
    }
  const fieldOverrides = ['', ...prefixes].flatMap((prefix) =>
    Object.entries(NOT_INDEXED).flatMap(([fieldPath, collections]) =>
      collections.map((name) => ({ collectionGroup: prefix + name, fieldPath, indexes: [] })),
    ),
  );
  return { indexes: [...indexes.values()], fieldOverrides };
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(indexesFile(process.argv.slice(2)), null, 2)}\n`);
