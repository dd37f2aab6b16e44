import type {
  ItemBody,
  ItemsBody,
  JudgesBody,
  NewsroomBody,
  PipelinesBody,
  SourcesBody,
} from '../../src/server/api/newsroom-routes.ts';
import type { TimelineBody } from '../../src/server/api/timelines.ts';

/** Why an answer did not come: no connection, or the server said no in words of its own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly offline: boolean;
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.offline = status === 0;
    this.status = status;
  }
}

const LONGEST_WAIT = 15_000;

async function read<T>(
  path: string,
  query: Record<string, string | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  const text = asked.toString();
  const signals = [AbortSignal.timeout(LONGEST_WAIT), ...(signal ? [signal] : [])];
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}${text === '' ? '' : `?${text}`}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any(signals),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(String(error), 0);
  }
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok) throw new ApiError(detailOf(body) ?? answer.statusText, answer.status);
  return body as T;
}

function detailOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  return typeof body.detail === 'string' ? body.detail : null;
}

export const api = {
  newsroom: (signal?: AbortSignal) => read<NewsroomBody>('/newsroom', {}, signal),
  local: (query: { since_id?: string; max_id?: string; limit?: string }, signal?: AbortSignal) =>
    read<TimelineBody>('/timelines/local', query, signal),
  pipelines: (signal?: AbortSignal) => read<PipelinesBody>('/pipelines', {}, signal),
  judges: (signal?: AbortSignal) => read<JudgesBody>('/judges', {}, signal),
  items: (
    query: { pipeline: string; state?: string; q?: string; limit?: string; cursor?: string },
    signal?: AbortSignal,
  ) => read<ItemsBody>('/items', query, signal),
  item: (pipeline: string, key: string, signal?: AbortSignal) =>
    read<ItemBody>('/item', { pipeline, key }, signal),
  sources: (signal?: AbortSignal) => read<SourcesBody>('/sources', {}, signal),
};
