import type { QueryForm } from '../../firestore/query.ts';

/** The set that has the collections of the contract to itself. */
export const HACKER_NEWS = 'hackernews';

const PREFIXES: Readonly<Record<string, string>> = { production: 'prod-', staging: 'staging-', ci: 'ci-' };

/** What stands before every collection (E1): the environment, so that one database serves all of them apart. */
export function environmentPrefix(environment: string | undefined): string {
  return (
    (environment !== undefined && Object.hasOwn(PREFIXES, environment) && PREFIXES[environment]) || 'dev-'
  );
}

/** Where the documents of one set are. */
export interface Collections {
  readonly stories: string;
  readonly cache: string;
  readonly changes: string;
  readonly worker: string;
  readonly users: string;
  /** The set's document among those of the worker. */
  readonly set: string;
}

/** The contract's own collections for Hacker News; below a document of its own for any other set. */
export function collectionsOf(prefix: string, set: string): Collections {
  const own = set === HACKER_NEWS ? prefix : `${prefix}sets/${documentId(set)}/`;
  return {
    stories: `${own}stories`,
    cache: `${own}cache`,
    changes: `${own}changes`,
    worker: `${prefix}worker`,
    users: `${prefix}users`,
    set: documentId(set),
  };
}

/** Ten digits, so that names sort as numbers do (E2). */
export function storyDocument(id: number): string {
  return String(id).padStart(10, '0');
}

/** Any name as the ID of a document; names without anything special stay as they are (E3). */
export function documentId(name: string): string {
  const plain = name !== '.' && name !== '..' && !/^__.*__$/.test(name) && !/[/%]/.test(name);
  return plain ? name : encodeURIComponent(name).replace(/[._]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}

export type StoryQuery =
  | 'all'
  | 'range'
  | 'best'
  | 'bestSince'
  | 'latest'
  | 'stale'
  | 'changes'
  | 'head'
  | 'old';

/** Every query that the stories of a set are asked. */
export function storyQueries({
  stories,
  changes,
}: Pick<Collections, 'stories' | 'changes'>): Readonly<Record<StoryQuery, QueryForm>> {
  return {
    all: { collection: stories, where: [], orderBy: [['score', 'desc']] },
    range: {
      collection: stories,
      where: [
        ['time', '>'],
        ['time', '<='],
      ],
      orderBy: [['time', 'desc']],
    },
    best: {
      collection: stories,
      where: [],
      orderBy: [
        ['score', 'desc'],
        ['id', 'desc'],
      ],
    },
    bestSince: {
      collection: stories,
      where: [['time', '>']],
      orderBy: [
        ['score', 'desc'],
        ['id', 'desc'],
      ],
    },
    latest: { collection: stories, where: [], orderBy: [['id', 'desc']] },
    stale: {
      collection: stories,
      where: [
        ['time', '>'],
        ['updated', '<'],
      ],
      orderBy: [['updated', 'asc']],
    },
    changes: { collection: changes, where: [['at', '>']], orderBy: [['at', 'asc']] },
    head: { collection: changes, where: [], orderBy: [['at', 'desc']] },
    old: { collection: changes, where: [['at', '<']], orderBy: [['at', 'asc']] },
  };
}

export type HiddenQuery = 'list' | 'since';

/** What is asked of the hidden stories of one person. */
export function hiddenQueries(hidden: string): Readonly<Record<HiddenQuery, QueryForm>> {
  return {
    list: {
      collection: hidden,
      where: [],
      orderBy: [
        ['addedAt', 'desc'],
        ['__name__', 'desc'],
      ],
    },
    since: { collection: hidden, where: [['addedAt', '>']], orderBy: [['addedAt', 'asc']] },
  };
}
