import type { Config } from '../../config/config.ts';
import { ledgerIdOf } from '../../pipelines/renamed-pipelines.ts';
import { ACCOUNT_QUERIES } from './account-store.ts';
import type { FirestoreConnection } from './connection.ts';
import { COUNTS_QUERIES } from './counts-log.ts';
import { curatorQueries } from './curator/documents.ts';
import { isMissingIndex } from './errors.ts';
import { JUDGE_BUDGET_QUERIES } from './judge-budgets.ts';
import { JUDGE_QUERIES } from './judge-documents.ts';
import { ITEMS, VIDEOS } from './ledger/layouts.ts';
import { pipelineWithoutPrefix } from './ledger/open-ledger.ts';
import { queriesOf } from './ledger/queries.ts';
import { PIPELINE_SETTINGS_QUERIES } from './pipeline-settings-store.ts';
import { PUBLISHING_QUERIES } from './publishing-stores.ts';
import type { QueryForm } from './query.ts';
import { type CompositeIndex, indexFor } from './query.ts';
import { REACTION_QUERIES } from './reaction-store.ts';
import { READER_QUERIES } from './reader/documents.ts';
import { RECEIVED_QUERIES } from './received-drops.ts';
import { RUN_QUERIES } from './run-store.ts';
import { SOCIAL_QUERIES } from './social-documents.ts';
import { SOURCE_CATALOGUE_QUERIES } from './source-catalogue-store.ts';
import { SOURCE_QUERIES } from './source-store.ts';
import { hiddenQueries, storyQueries } from './story-documents.ts';
import { STORY_EDIT_QUERIES } from './story-edit-store.ts';

/** Firestore layout of each pipeline kind. */
export const FIRESTORE_LAYOUTS = { curate: 'articles', summarise: 'items', process: 'videos' } as const;
export type LayoutName = (typeof FIRESTORE_LAYOUTS)[keyof typeof FIRESTORE_LAYOUTS];

type Queries = Readonly<Record<string, QueryForm>>;
interface NamedQuery {
  readonly name: string;
  readonly form: QueryForm;
}

/** Collections of stories have their environment as prefix (E1); those of a pipeline are below a document of their own. */
const STORY_PREFIXES = ['prod-', 'staging-', 'ci-', 'dev-', ''];

function queriesOfLayout(layout: LayoutName): Readonly<Record<string, Queries>> {
  const { notified, rejected, ...articles } = curatorQueries();
  return {
    articles: { notified, rejected, articles },
    items: { items: queriesOf(ITEMS) },
    videos: { videos: queriesOf(VIDEOS) },
  }[layout];
}

function namedQueries(parts: Readonly<Record<string, Queries>>): NamedQuery[] {
  return Object.entries(parts).flatMap(([part, all]) =>
    Object.entries(all).map(([name, form]) => ({ name: `${part}.${name}`, form })),
  );
}

/** Every query of the program, by the part that makes it; or those of one layout. */
export function allQueries(layout?: LayoutName): NamedQuery[] {
  if (layout !== undefined) return namedQueries(queriesOfLayout(layout));
  const stories = STORY_PREFIXES.map((prefix) => [
    `${prefix}stories`,
    storyQueries({ stories: `${prefix}stories`, changes: `${prefix}changes` }),
  ]);
  return namedQueries({
    ...queriesOfLayout('articles'),
    ...queriesOfLayout('items'),
    ...queriesOfLayout('videos'),
    runs: RUN_QUERIES,
    counts: COUNTS_QUERIES,
    settings: PIPELINE_SETTINGS_QUERIES,
    storyEdits: STORY_EDIT_QUERIES,
    sources: SOURCE_QUERIES,
    sourceCatalogue: SOURCE_CATALOGUE_QUERIES,
    judges: JUDGE_QUERIES,
    budgets: JUDGE_BUDGET_QUERIES,
    publishing: PUBLISHING_QUERIES,
    hidden: hiddenQueries('hidden'),
    accounts: ACCOUNT_QUERIES,
    social: SOCIAL_QUERIES,
    received: RECEIVED_QUERIES,
    reader: READER_QUERIES,
    reactions: REACTION_QUERIES,
    ...Object.fromEntries(stories),
  });
}

/** Long fields that no query uses: indexing them only costs money. */
const UNINDEXED_FIELDS: Readonly<Record<string, readonly string[]>> = {
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
    'articles_waiting',
    'articles_remembered',
    'sources',
    'source_catalogue',
    'source_icon_pictures',
    'pipeline_settings',
    'judge_budgets',
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
    'reader_entries',
    'reader_texts',
    'reader_sources',
    'reader_heads',
    'reader_people',
    'reader_states',
    'reader_reactions',
    'story_edits',
  ],
  // Searched by composite indexes alone.
  tokens: ['reader_entries'],
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

const LAYOUT_COLLECTIONS: Readonly<Record<LayoutName, RegExp>> = {
  articles: /^(notified_articles|rejected_articles|articles_\w+)$/,
  items: /^items(_\w+)?$/,
  videos: /^processed_videos(_\w+)?$/,
};

/** For the best of the newest (A15), and for the lists of stories (E6). */
const CONTRACT_INDEXES: readonly CompositeIndex[] = [
  contractIndex('notified_articles', [
    ['relevance_score', 'DESCENDING'],
    ['notified_at', 'DESCENDING'],
  ]),
  ...['prod', 'staging', 'ci', 'dev'].map((prefix) =>
    contractIndex(`${prefix}-stories`, [
      ['time', 'ASCENDING'],
      ['updated', 'ASCENDING'],
    ]),
  ),
];

function contractIndex(
  collectionGroup: string,
  fields: readonly (readonly [string, 'ASCENDING' | 'DESCENDING'])[],
): CompositeIndex {
  return {
    collectionGroup,
    queryScope: 'COLLECTION',
    fields: fields.map(([fieldPath, order]) => ({ fieldPath, order })),
  };
}

/** Collections with a prefix: all of the program's, or those of one layout. */
export interface PrefixedCollections {
  readonly prefix: string;
  readonly layout?: LayoutName;
}

/** The content of `firestore.indexes.json` for these collections; by default those without a prefix. */
export function indexesFile(sets: readonly PrefixedCollections[] = [{ prefix: '' }]): {
  indexes: CompositeIndex[];
  fieldOverrides: unknown[];
} {
  const indexes = new Map<string, CompositeIndex>();
  const fieldOverrides: unknown[] = [];
  for (const { prefix, layout } of sets) {
    const isPart = (collection: string): boolean =>
      layout === undefined || LAYOUT_COLLECTIONS[layout].test(collection);
    const needed = [
      ...CONTRACT_INDEXES.filter(({ collectionGroup }) => isPart(collectionGroup)),
      ...allQueries(layout).flatMap(({ form }) => indexFor(form) ?? []),
    ];
    for (const one of needed) {
      const index = { ...one, collectionGroup: prefix + one.collectionGroup };
      indexes.set(JSON.stringify(index), index);
    }
    for (const [fieldPath, collections] of Object.entries(UNINDEXED_FIELDS))
      for (const name of collections.filter(isPart))
        fieldOverrides.push({ collectionGroup: prefix + name, fieldPath, indexes: [] });
  }
  return { indexes: [...indexes.values()], fieldOverrides };
}

type DistributedConfig = Config & { readonly engine: { readonly kind: 'distributed' } };

export function isDistributed(config: Config): config is DistributedConfig {
  return config.engine.kind === 'distributed';
}

/**
 * The collections that a configuration uses. `connection`: reads from Firestore which pipeline of a layout came first and
 * has its collections without a prefix; `null`: assumes the first one of the configuration, as on a new database.
 */
export async function configuredCollections(
  config: DistributedConfig,
  connection: FirestoreConnection | null,
): Promise<PrefixedCollections[]> {
  const { prefix } = config.engine.firestore;
  const sets: PrefixedCollections[] = [{ prefix }];
  const owners = new Map<LayoutName, string>();
  for (const pipeline of Object.values(config.pipelines)) {
    const layout = FIRESTORE_LAYOUTS[pipeline.kind];
    const id = ledgerIdOf(pipeline);
    const owner =
      owners.get(layout) ?? (connection && (await pipelineWithoutPrefix(connection, layout))) ?? id;
    owners.set(layout, owner);
    if (owner !== id) sets.push({ prefix: `${prefix}${id}-`, layout });
  }
  return sets;
}

/** Indexes that the pipelines of a configuration and the reader need and Firestore does not have; each query is run once. */
export async function missingIndexes(
  config: DistributedConfig,
  connection: FirestoreConnection,
): Promise<CompositeIndex[]> {
  const layouts = new Set(Object.values(config.pipelines).map(({ kind }) => FIRESTORE_LAYOUTS[kind]));
  const basePrefix = config.engine.firestore.prefix;
  const sets = (await configuredCollections(config, connection)).flatMap(({ prefix, layout }) =>
    (layout === undefined ? [...layouts] : [layout]).map((one) => ({ prefix, queries: allQueries(one) })),
  );
  sets.push({ prefix: basePrefix, queries: namedQueries({ reader: READER_QUERIES }) });
  const missing: CompositeIndex[] = [];
  for (const { prefix, queries } of sets)
    for (const { form } of queries) {
      const collection = prefix.slice(basePrefix.length) + form.collection;
      const index = indexFor({ ...form, collection: prefix + form.collection });
      if (index !== null && !(await hasIndexFor(connection, { ...form, collection }))) missing.push(index);
    }
  return missing;
}

async function hasIndexFor(connection: FirestoreConnection, form: QueryForm): Promise<boolean> {
  const where = form.where.map(([, op]) => (/in|any/.test(op) ? [''] : ''));
  try {
    await connection.query(form, { where, limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof Error && isMissingIndex(error.cause)) return false;
    throw error;
  }
}
