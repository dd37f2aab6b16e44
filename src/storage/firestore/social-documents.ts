import { createHash } from 'node:crypto';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { Drop, DropRef, User } from '../../social/social-store.ts';
import type { DocumentPath } from './connection.ts';
import type { QueryForm } from './query.ts';

export const USERS = 'users';
export const USER_NAMES = 'user_names';
export const FOLLOWS = 'follows';
export const BLOCKS = 'blocks';
export const DROPS = 'drops';
export const DROP_KEYS = 'drop_keys';
/** Same name as in the previous version, whose documents are relayed too. */
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

export function userAt(id: string): DocumentPath {
  return [USERS, toDocumentName(id)];
}

export function nameAt(name: string): DocumentPath {
  return [USER_NAMES, hashed(name)];
}

export function followAt(follower: string, followed: string): DocumentPath {
  return [FOLLOWS, `${toDocumentName(follower)}_${toDocumentName(followed)}`];
}

export function blockAt(blocker: string, blocked: string): DocumentPath {
  return [BLOCKS, `${toDocumentName(blocker)}_${toDocumentName(blocked)}`];
}

export function dropAt(id: string): DocumentPath {
  return [DROPS, toDocumentName(id)];
}

export function dropKeyAt(key: string): DocumentPath {
  return [DROP_KEYS, hashed(key)];
}

export function changeAt(id: string): DocumentPath {
  return [CHANGES, id];
}

export function userData(user: User): DocumentData {
  return { name: user.name, content: JSON.stringify(user) };
}

export function toUser(found: DocumentSnapshot): User | null {
  return parseContent<User>(found);
}

/** The text is in `content`, which is not indexed; beside it are the queried fields. */
export function dropData(drop: Drop, deleted: boolean): DocumentData {
  const { id, userId, visibility, createdAt } = drop;
  return {
    drop_id: id,
    user_id: userId,
    visibility,
    created_at: createdAt,
    deleted,
    content: JSON.stringify(drop),
  };
}

/** `null` for an absent drop; a deleted one is there without its text. */
export function toDrop(found: DocumentSnapshot): Drop | null {
  const drop = parseContent<Drop>(found);
  // Earlier versions wrote no `editedAt`.
  return drop === null ? null : { ...drop, editedAt: drop.editedAt ?? null };
}

export function isDeleted(found: DocumentSnapshot): boolean {
  return found.get('deleted') === true;
}

export function toDropRef(found: DocumentSnapshot): DropRef {
  return {
    id: String(found.get('drop_id')),
    userId: String(found.get('user_id')),
    visibility: found.get('visibility') as DropRef['visibility'],
    createdAt: Number(found.get('created_at')),
  };
}

/** An external ID can be any text; a document name cannot. */
function toDocumentName(id: string): string {
  return /^[\w-]{1,100}$/.test(id) ? id : hashed(id);
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parseContent<T>(found: DocumentSnapshot): T | null {
  const content: unknown = found.get('content');
  return typeof content === 'string' ? (JSON.parse(content) as T) : null;
}
