import type { Query } from './api.ts';
import { type Order, order, unreadOnly } from './preferences.ts';

export const VIEWS = ['unread', 'all', 'starred', 'later', 'hot'] as const;
export type View = (typeof VIEWS)[number];

/** Which list an address names. */
export interface Scope {
  readonly view: View;
  readonly source?: string | undefined;
  readonly folder?: string | undefined;
  readonly q?: string | undefined;
  /** Days back, for the search. */
  readonly days?: number | undefined;
  readonly order: Order;
}

/** A list of a source or a folder shows unread entries or all, as the person chose. */
export function scopeOf(query: URLSearchParams): Scope {
  const source = query.get('source') ?? undefined;
  const folder = query.get('folder') ?? undefined;
  const q = query.get('q')?.trim() || undefined;
  const asked = VIEWS.find((view) => view === query.get('view'));
  const narrowed = source !== undefined || folder !== undefined;
  const days = Number(query.get('days'));
  return {
    view: asked ?? (narrowed && q === undefined && unreadOnly.value === 'on' ? 'unread' : 'all'),
    source,
    folder,
    q,
    days: Number.isInteger(days) && days > 0 ? days : undefined,
    order: asked === 'hot' ? 'newest' : order.value,
  };
}

export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.view, scope.source, scope.folder, scope.q, scope.days, scope.order]);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The parameters of `GET /reader/entries`, without a page. */
export function scopeQuery(scope: Scope, now: number): Query {
  return {
    ...feedQuery(scope),
    order: scope.order,
    since: scope.days === undefined ? undefined : String(now - scope.days * DAY_MS),
  };
}

/** What names the list for its Atom feed. */
export function feedQuery({ view, source, folder, q }: Scope): Query {
  return { view, source, folder, q };
}

export function readerHref(params: Readonly<Record<string, string>>): string {
  return `/reader?${new URLSearchParams(params)}`;
}

export function searchHref(params: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  const text = query.toString();
  return text === '' ? '/search' : `/search?${text}`;
}

export function articleHref(id: number): string {
  return `/article?id=${id}`;
}
