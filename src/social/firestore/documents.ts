import { createHash } from 'node:crypto';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { Place } from '../../firestore/connection.ts';
import type { Drop, DropRef, User } from '../services.ts';
import { BLOCKS, CHANGES, DROP_KEYS, DROPS, FOLLOWS, USER_NAMES, USERS } from './queries.ts';

export function userAt(id: string): Place {
  return [USERS, named(id)];
}

export function nameAt(name: string): Place {
  return [USER_NAMES, hashed(name)];
}

export function followAt(follower: string, followed: string): Place {
  return [FOLLOWS, `${named(follower)}_${named(followed)}`];
}

export function blockAt(blocker: string, blocked: string): Place {
  return [BLOCKS, `${named(blocker)}_${named(blocked)}`];
}

export function dropAt(id: string): Place {
  return [DROPS, named(id)];
}

export function dropKeyAt(key: string): Place {
  return [DROP_KEYS, hashed(key)];
}

export function changeAt(id: string): Place {
  return [CHANGES, id];
}

export function userData(user: User): DocumentData {
  return { name: user.name, content: JSON.stringify(user) };
}

export function toUser(found: DocumentSnapshot): User | null {
  return contentOf<User>(found);
}

/** The words lie in `content`, which is not indexed; beside it is what drops are asked by. */
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

/** `null` for one that is not there; a deleted one is there without its words. */
export function toDrop(found: DocumentSnapshot): Drop | null {
  return contentOf<Drop>(found);
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

/** What is asked for can be any text; a document's name cannot. */
function named(id: string): string {
  return /^[\w-]{1,100}$/.test(id) ? id : hashed(id);
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function contentOf<T>(found: DocumentSnapshot): T | null {
  const content: unknown = found.get('content');
  return typeof content === 'string' ? (JSON.parse(content) as T) : null;
}
