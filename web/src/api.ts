import type { Item } from '../../src/item/item.ts';
import type { DeliveryState } from '../../src/outbox/outbox.ts';
import type { Job } from '../../src/scheduler/jobs.ts';
import type { StoreUsage } from '../../src/server/http/control-room.ts';
import type {
  ItemBody,
  ItemsBody,
  JudgesBody,
  NewsroomBody,
  PipelinesBody,
  SourcesBody,
} from '../../src/server/http/newsroom-routes.ts';
import type { FieldProblem } from '../../src/server/http/problem.ts';
import type { SessionBody } from '../../src/server/http/session-routes.ts';
import type { TimelineBody } from '../../src/server/http/timeline-routes.ts';
import type { User } from '../../src/social/social-store.ts';
import type { SourceCandidate } from '../../src/sources/source-editing.ts';
import type { ListedStory } from '../../src/stories/story.ts';

/** Why an answer did not come: no connection, or the server said no in words of its own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly offline: boolean;
  readonly status: number;
  /** Which parts of what was sent are wrong, and how. */
  readonly fields: readonly FieldProblem[];

  constructor(message: string, status: number, fields: readonly FieldProblem[] = []) {
    super(message);
    this.offline = status === 0;
    this.status = status;
    this.fields = fields;
  }
}

const LONGEST_WAIT = 15_000;
/** Reading a source or judging an item for a preview takes its time. */
const LONGEST_WORK = 120_000;

/** Only a page of ours can read it; it goes with every change beside the cookie. */
let csrf = '';

export function rememberCsrf(token: string): void {
  csrf = token;
}

type Query = Readonly<Record<string, string | undefined>>;

function read<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', path, { query, ...(signal ? { signal } : {}) });
}

function change<T = void>(
  method: 'POST' | 'PUT' | 'DELETE' | 'PATCH',
  path: string,
  body?: unknown,
  query?: Query,
): Promise<T> {
  return ask<T>(method, path, { ...(query ? { query } : {}), ...(body === undefined ? {} : { body }) });
}

interface Asked {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function ask<T>(
  method: string,
  path: string,
  { query = {}, body, headers, signal }: Asked,
): Promise<T> {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  const text = asked.toString();
  const longest = AbortSignal.timeout(method === 'GET' ? LONGEST_WAIT : LONGEST_WORK);
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}${text === '' ? '' : `?${text}`}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(method === 'GET' || csrf === '' ? {} : { 'x-csrf-token': csrf }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // What is sent while the page is being left still arrives.
      keepalive: method !== 'GET' && JSON.stringify(body ?? '').length < 50_000,
      signal: signal ? AbortSignal.any([longest, signal]) : longest,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(String(error), 0);
  }
  const given: unknown = await answer.json().catch(() => null);
  if (!answer.ok) throw new ApiError(detailOf(given) ?? answer.statusText, answer.status, fieldsOf(given));
  return given as T;
}

function detailOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  return typeof body.detail === 'string' ? body.detail : null;
}

function fieldsOf(body: unknown): readonly FieldProblem[] {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return [];
  return Array.isArray(body.errors) ? (body.errors as FieldProblem[]) : [];
}

/** What a one-time link is for. */
export interface WelcomeLink {
  readonly purpose: 'owner' | 'invite' | 'reset';
  readonly role: 'owner' | 'reader';
  readonly name: string | null;
  readonly expiresAt: number;
}

export interface ShownSession {
  readonly id: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly device: string;
  readonly here: boolean;
}

export interface ShownPerson {
  readonly userId: string;
  readonly name: string;
  readonly role: 'owner' | 'reader';
  readonly createdAt: number;
}

export type FoundItem = Item & { readonly pipeline: string };

export interface CountsEntry {
  readonly at: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly byReason: Readonly<Record<string, number>>;
}

/** A message to a destination, as the owner sees it. */
export interface ShownMessage {
  readonly pipeline: string;
  readonly key: string;
  readonly destination: string;
  readonly body: string;
  readonly state: DeliveryState;
  readonly detail: string | null;
  readonly attempts: number;
  readonly updatedAt: number;
}

export const api = {
  newsroom: (signal?: AbortSignal) => read<NewsroomBody>('/newsroom', {}, signal),
  timeline: (
    name: string,
    query: { since_id?: string; max_id?: string; limit?: string },
    signal?: AbortSignal,
  ) => read<TimelineBody>(`/timelines/${name}`, query, signal),
  pipelines: (signal?: AbortSignal) => read<PipelinesBody>('/pipelines', {}, signal),
  judges: (signal?: AbortSignal) => read<JudgesBody>('/judges', {}, signal),
  items: (
    query: { pipeline: string; state?: string; q?: string; limit?: string; cursor?: string },
    signal?: AbortSignal,
  ) => read<ItemsBody>('/items', query, signal),
  item: (pipeline: string, key: string, signal?: AbortSignal) =>
    read<ItemBody>('/item', { pipeline, key }, signal),
  sources: (signal?: AbortSignal) => read<SourcesBody>('/sources', {}, signal),
  session: {
    read: () => read<SessionBody>('/session'),
    open: (who: { name: string; password: string }) => change<SessionBody>('POST', '/session', who),
    end: () => change('DELETE', '/session'),
    all: (signal?: AbortSignal) => read<{ sessions: readonly ShownSession[] }>('/sessions', {}, signal),
    endOne: (id: string) => change('DELETE', `/sessions/${encodeURIComponent(id)}`),
    endOthers: () => change<{ ended: number }>('DELETE', '/sessions', undefined, { except: 'here' }),
    endAll: () => change<{ ended: number }>('DELETE', '/sessions'),
    setPassword: (current: string, next: string) => change('PUT', '/password', { current, next }),
  },
  welcome: {
    look: (link: string) => change<WelcomeLink>('POST', '/welcome/look', { link }),
    use: (who: { link: string; name?: string; password: string }) =>
      change<SessionBody>('POST', '/welcome', who),
  },
  people: {
    all: (signal?: AbortSignal) => read<{ people: readonly ShownPerson[] }>('/people', {}, signal),
    invite: (role: 'owner' | 'reader') =>
      change<{ path: string; expiresAt: number }>('POST', '/people/invitations', { role }),
    resetLink: (id: string) =>
      change<{ path: string; expiresAt: number }>('POST', `/people/${id}/reset-link`),
    remove: (id: string) => change('DELETE', `/people/${id}`),
  },
  storySets: (signal?: AbortSignal) =>
    read<{ sets: readonly { name: string; title: string; comments: string | null }[] }>(
      '/stories/sets',
      {},
      signal,
    ),
  stories: (query: { set: string; timespan: string; limit?: string; page?: string }, signal?: AbortSignal) =>
    read<{ stories: readonly ListedStory[]; next: string | null }>('/stories', query, signal),
  hidden: {
    add: (set: string, ids: readonly number[]) => change('POST', '/hidden', { set, ids }),
    remove: (set: string, id: number) => change('DELETE', `/hidden/${id}`, undefined, { set }),
  },
  users: (signal?: AbortSignal) => read<{ users: readonly User[] }>('/users', {}, signal),
  following: (userId: string, cursor?: string) =>
    read<{ users: readonly User[]; next: string | null }>(`/users/${userId}/following`, {
      limit: '100',
      cursor,
    }),
  follow: (userId: string) => change('PUT', `/users/${userId}/follow`),
  unfollow: (userId: string) => change('DELETE', `/users/${userId}/follow`),
  post: (drop: { text: string; visibility: string }, key: string) =>
    ask<unknown>('POST', '/drops', { body: drop, headers: { 'idempotency-key': key } }),
  deleteDrop: (id: string) => change('DELETE', `/drops/${id}`),
  search: (query: { q: string; cursor?: string }, signal?: AbortSignal) =>
    read<{ items: readonly FoundItem[]; next: string | null }>('/search', query, signal),
  jobs: {
    start: (pipeline: string, dryRun: boolean) =>
      change<Job>('POST', `/pipelines/${encodeURIComponent(pipeline)}/runs`, { dryRun, fresh: !dryRun }),
    find: (id: string) => read<Job>(`/jobs/${id}`),
    stop: (id: string) => change('DELETE', `/jobs/${id}`),
  },
  counts: (pipeline: string, days: number, signal?: AbortSignal) =>
    read<{ entries: readonly CountsEntry[] }>(
      `/pipelines/${encodeURIComponent(pipeline)}/counts`,
      { days: String(days) },
      signal,
    ),
  decide: (pipeline: string, key: string, decision: 'retry' | 'park' | 'sent' | 'drop') =>
    change('POST', '/item/decision', { pipeline, key, decision }),
  deliveries: {
    list: (pipeline: string, state: string, signal?: AbortSignal) =>
      read<{ deliveries: readonly ShownMessage[] }>('/deliveries', { pipeline, state, limit: '50' }, signal),
    decide: (pipeline: string, key: string, decision: 'sent' | 'again' | 'drop') =>
      change('POST', '/deliveries/decision', { pipeline, key, decision }),
  },
  configuration: (signal?: AbortSignal) =>
    read<{ file: string; settings: unknown }>('/configuration', {}, signal),
  usage: (signal?: AbortSignal) =>
    read<{
      store: { used: StoreUsage; free: StoreUsage } | null;
      streams: { open: number };
    }>('/usage', {}, signal),
  source: {
    preview: (address: string) =>
      change<{ candidates: readonly SourceCandidate[] }>('POST', '/sources/preview', { address }),
    add: (address: string, pipelines: readonly string[]) =>
      change<{ id: string }>('POST', '/sources', { address, pipelines }),
    switch: (id: string, enabled: boolean) =>
      change('PATCH', `/sources/${encodeURIComponent(id)}`, { enabled }),
    remove: (id: string) => change('DELETE', `/sources/${encodeURIComponent(id)}`),
    importOpml: (opml: string) =>
      change<{ added: readonly unknown[]; known: number; skipped: number }>('POST', '/sources/opml', {
        opml,
      }),
  },
  marks: {
    read: (timeline: string) => read<{ position: string | null }>(`/marks/${timeline}`),
    set: (timeline: string, position: string) => change('PUT', `/marks/${timeline}`, { position }),
  },
};
