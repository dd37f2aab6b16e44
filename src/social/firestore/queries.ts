import type { QueryForm } from '../../firestore/query.ts';

export const USERS = 'users';
export const USER_NAMES = 'user_names';
export const FOLLOWS = 'follows';
export const BLOCKS = 'blocks';
export const DROPS = 'drops';
export const DROP_KEYS = 'drop_keys';
/** Named as in the version before, whose documents are relayed too. */
export const CHANGES = 'unannounced_changes';

const NEWEST_FIRST = [
  ['created_at', 'desc'],
  ['drop_id', 'desc'],
] as const;

/** Every query of the social store. */
export const SOCIAL_QUERIES = {
  users: { collection: USERS, where: [], orderBy: [['name', 'asc']] },
  following: { collection: FOLLOWS, where: [['follower_id', '==']], orderBy: [] },
  followers: { collection: FOLLOWS, where: [['followed_id', '==']], orderBy: [['follower_id', 'asc']] },
  blocked: { collection: BLOCKS, where: [['blocker_id', '==']], orderBy: [] },
  changes: { collection: CHANGES, where: [], orderBy: [['seq', 'asc']] },
  newest: { collection: DROPS, where: [], orderBy: [['drop_id', 'desc']] },
  byUser: {
    collection: DROPS,
    where: [
      ['user_id', '=='],
      ['deleted', '=='],
    ],
    orderBy: NEWEST_FIRST,
  },
  recentPublic: {
    collection: DROPS,
    where: [
      ['visibility', '=='],
      ['deleted', '=='],
    ],
    orderBy: NEWEST_FIRST,
  },
} as const satisfies Readonly<Record<string, QueryForm>>;
