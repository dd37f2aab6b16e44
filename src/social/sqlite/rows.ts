import type { Row } from '../../sqlite/connection.ts';
import type { Drop, DropRef, User, Visibility } from '../services.ts';

export function toUser(row: Row): User {
  return {
    id: String(row.id),
    name: String(row.name),
    displayName: String(row.display_name),
    kind: toKind(row.kind),
    createdAt: Number(row.created_at),
  };
}

export function toDropRef(row: Row): DropRef {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    visibility: toVisibility(row.visibility),
    createdAt: Number(row.created_at),
  };
}

export function toDrop(row: Row): Drop {
  return {
    ...toDropRef(row),
    text: String(row.text),
    title: textOrNull(row.title),
    url: textOrNull(row.url),
    itemKey: textOrNull(row.item_key),
    pipeline: textOrNull(row.pipeline),
  };
}

function toKind(value: unknown): User['kind'] {
  return value === 'pipeline' || value === 'source' ? value : 'person';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function toVisibility(value: unknown): Visibility {
  return value === 'public' || value === 'followers' ? value : 'private';
}
