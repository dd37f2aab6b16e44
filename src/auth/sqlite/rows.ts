import type { Row } from '../../sqlite/connection.ts';
import type { AccessToken, Account, Link, ReadMark, Session } from '../account-store.ts';
import type { Role, Scope } from '../identity.ts';

export function toAccount(row: Row): Account {
  return {
    userId: String(row.user_id),
    name: String(row.name),
    role: row.role as Role,
    passwordHash: String(row.password_hash),
    createdAt: Number(row.created_at),
    passwordChangedAt: Number(row.password_changed_at),
  };
}

export function toSession(row: Row): Session {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    createdAt: Number(row.created_at),
    seenAt: Number(row.seen_at),
    expiresAt: Number(row.expires_at),
    device: String(row.device),
  };
}

export function toLink(row: Row): Link {
  return {
    id: String(row.id),
    purpose: row.purpose as Link['purpose'],
    role: row.role as Role,
    userId: typeof row.user_id === 'string' ? row.user_id : null,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

export function toToken(row: Row): AccessToken {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    label: String(row.label),
    scopes: String(row.scopes).split(' ').filter(Boolean) as Scope[],
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    revokedAt: typeof row.revoked_at === 'number' ? row.revoked_at : null,
  };
}

export function toMark(row: Row): ReadMark {
  return {
    timeline: String(row.timeline),
    position: String(row.position),
    markedAt: Number(row.marked_at),
  };
}
