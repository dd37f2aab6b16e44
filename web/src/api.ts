import { signal } from '@preact/signals';
import type { DeliveryState } from '../../src/outbox/outbox.ts';
import type { Job } from '../../src/scheduler/jobs.ts';
import type { StoreUsage } from '../../src/server/http/control-room.ts';
import type {
  AliasDecisionBody,
  InterestWordsBody,
  PipelineInterestsBody,
} from '../../src/server/http/interest-routes.ts';
import type {
  ItemBody,
  ItemsBody,
  JudgesBody,
  NewsroomBody,
  PipelinesBody,
  SourcesBody,
} from '../../src/server/http/newsroom-routes.ts';
import type { PipelineSettingsBody } from '../../src/server/http/pipeline-settings-routes.ts';
import type { FieldProblem, Problem } from '../../src/server/http/problem.ts';
import type { ProblemParameters } from '../../src/server/http/problem-codes.ts';
import type { RetentionSettingsBody } from '../../src/server/http/retention-settings-routes.ts';
import type { SessionBody } from '../../src/server/http/session-routes.ts';
import type { ShownDrop, TimelineBody } from '../../src/server/http/timeline-routes.ts';
import type { User } from '../../src/social/social-store.ts';
import type { SourceCandidate } from '../../src/sources/source-editing.ts';
import type { SourceStatus } from '../../src/sources/source-status.ts';
import type { ListedStory } from '../../src/stories/story.ts';

/** When the data on the screen was loaded, if the service worker answered because the newsroom did not; else `null`. */
export const offlineSince = signal<number | null>(null);

/** The service worker puts the time of storing into this header of an answer from its cache. */
const STORED_AT = 'x-kawaraban-stored-at';

let answered = (): void => {};

/** Called with every answer of the newsroom itself. */
export function onAnswer(listener: () => void): void {
  answered = listener;
}

function noteAnswer(answer: Response): void {
  const stored = answer.headers.get(STORED_AT);
  if (stored !== null) {
    offlineSince.value ??= Number(stored);
    return;
  }
  offlineSince.value = null;
  answered();
}

/** Why a request failed: no connection (status 0), or a problem that the server reported. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly offline: boolean;
  readonly status: number;
  /** Stable name of the problem, for a text in the reader's language. */
  readonly code: string | null;
  readonly parameters: ProblemParameters;
  /** The invalid fields of the request. */
  readonly fields: readonly FieldProblem[];

  constructor(message: string, status: number, problem: Partial<Problem> = {}) {
    super(message);
    this.offline = status === 0;
    this.status = status;
    this.code = problem.code ?? null;
    this.parameters = problem.parameters ?? {};
    this.fields = Array.isArray(problem.errors) ? problem.errors : [];
  }
}

const READ_TIMEOUT_MS = 15_000;
/** Reading a source or judging an item for a preview takes longer. */
const CHANGE_TIMEOUT_MS = 120_000;

/** Only a page of ours can read it; it goes with every change beside the cookie. */
let csrf = '';

export function rememberCsrf(token: string): void {
  csrf = token;
}

type Query = Readonly<Record<string, string | undefined>>;

export function read<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', path, { query, ...(signal ? { signal } : {}) });
}

export function change<T = void>(
  method: 'POST' | 'PUT' | 'DELETE' | 'PATCH',
  path: string,
  body?: unknown,
  query?: Query,
): Promise<T> {
  return ask<T>(method, path, { ...(query ? { query } : {}), ...(body === undefined ? {} : { body }) });
}

interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function ask<T>(
  method: string,
  path: string,
  { query = {}, body, headers, signal }: RequestOptions,
): Promise<T> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  const timeout = AbortSignal.timeout(method === 'GET' ? READ_TIMEOUT_MS : CHANGE_TIMEOUT_MS);
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
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(String(error), 0);
  }
  noteAnswer(answer);
  const given: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    const problem: Partial<Problem> = typeof given === 'object' && given !== null ? given : {};
    throw new ApiError(problem.detail ?? answer.statusText, answer.status, problem);
  }
  return given as T;
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

export interface CountsEntry {
  readonly at: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly byReason: Readonly<Record<string, number>>;
}

export interface ShownToken {
  readonly id: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface NewSource {
  readonly address: string;
  readonly name?: string;
  readonly folders?: readonly string[];
  readonly pipelines?: readonly string[];
  readonly follow?: boolean;
  readonly anyway?: boolean;
}

export interface SourceChanges {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly folders?: readonly string[];
  readonly pipelines?: readonly string[];
}

export interface OpmlRequest {
  readonly opml: string;
  readonly folder?: string;
  readonly pipeline?: string;
  readonly dryRun: boolean;
}

export interface OpmlResult {
  readonly added: readonly { readonly id: string; readonly url: string }[];
  readonly known: number;
  readonly skipped: number;
}

/** `null`: as in the configuration file. */
export interface PipelineSettingsChange {
  readonly schedule?: string | null;
  readonly timeZone?: string;
  readonly every?: string | null;
  readonly minScore?: number | null;
  readonly enabled?: boolean | null;
}

/** `null`: as in the configuration file. */
export interface RetentionSettingsChange {
  readonly entries?: string | null;
  readonly texts?: string | null;
  readonly keepPerSource?: number | null;
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
  editDrop: (id: string, text: string) => change<ShownDrop>('PATCH', `/drops/${id}`, { text }),
  deleteDrop: (id: string) => change('DELETE', `/drops/${id}`),
  pipelineSettings: {
    read: (id: string, signal?: AbortSignal) =>
      read<PipelineSettingsBody>(`/pipelines/${encodeURIComponent(id)}/settings`, {}, signal),
    change: (id: string, settings: PipelineSettingsChange) =>
      change<PipelineSettingsBody>('PATCH', `/pipelines/${encodeURIComponent(id)}/settings`, settings),
  },
  interests: {
    read: (id: string, signal?: AbortSignal) =>
      read<PipelineInterestsBody>(`/pipelines/${encodeURIComponent(id)}/interests`, {}, signal),
    decide: (id: string, decision: AliasDecisionBody) =>
      change<InterestWordsBody>('PATCH', `/pipelines/${encodeURIComponent(id)}/interests`, decision),
  },
  retentionSettings: {
    read: (signal?: AbortSignal) => read<RetentionSettingsBody>('/settings/retention', {}, signal),
    change: (settings: RetentionSettingsChange) =>
      change<RetentionSettingsBody>('PATCH', '/settings/retention', settings),
  },
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
  folders: (signal?: AbortSignal) =>
    read<{ folders: readonly { path: readonly string[]; sources: number }[] }>('/folders', {}, signal),
  source: {
    read: (id: string, signal?: AbortSignal) =>
      read<SourceStatus>(`/sources/${encodeURIComponent(id)}`, {}, signal),
    preview: (address: string) =>
      change<{ candidates: readonly SourceCandidate[] }>('POST', '/sources/preview', { address }),
    add: (source: NewSource) => change<{ id: string }>('POST', '/sources', source),
    change: (id: string, changes: SourceChanges) =>
      change<SourceStatus>('PATCH', `/sources/${encodeURIComponent(id)}`, changes),
    poll: (id: string) => change('POST', `/sources/${encodeURIComponent(id)}/poll`),
    remove: (id: string) => change('DELETE', `/sources/${encodeURIComponent(id)}`),
    importOpml: (request: OpmlRequest) => change<OpmlResult>('POST', '/sources/opml', request),
  },
  tokens: {
    all: (signal?: AbortSignal) => read<{ tokens: readonly ShownToken[] }>('/tokens', {}, signal),
    create: (token: { label: string; scopes: readonly string[]; days: number }) =>
      change<ShownToken & { token: string }>('POST', '/tokens', token),
    revoke: (id: string) => change('DELETE', `/tokens/${encodeURIComponent(id)}`),
  },
  marks: {
    read: (timeline: string) => read<{ position: string | null }>(`/marks/${timeline}`),
    set: (timeline: string, position: string) => change('PUT', `/marks/${timeline}`, { position }),
  },
};
