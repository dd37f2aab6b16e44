import type { IncomingMessage } from 'node:http';
import type { Call } from './calls.ts';

export type ReadCall =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'health' }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

const LARGEST_BODY = 64 * 1024;
/** Cloud Scheduler says which of its times a call is for, the same at every repetition. */
const SCHEDULE_TIME = 'x-cloudscheduler-scheduletime';

/** What a request asks for. The moment it is about comes from Cloud Scheduler's header or from the body's `scheduledFor`. */
export async function readCall(request: IncomingMessage, usual?: string): Promise<ReadCall> {
  const [path = '/'] = (request.url ?? '/').split('?');
  if (request.method === 'GET' && (path === '/healthz' || path === '/readyz')) return { kind: 'health' };
  const what = whatOf(path, usual);
  if (what === null) return refused(404, 'There is POST /run/<pipeline>, POST /sweep and GET /healthz.');
  if (request.method !== 'POST') return refused(405, 'Ask with POST.');
  const body = await bodyOf(request);
  if (body === null) return refused(400, 'The body is no JSON object, or larger than 64 KB.');
  const named = request.headers[SCHEDULE_TIME] ?? body.scheduledFor;
  if (named === undefined || named === null) return { kind: 'call', call: { ...what, scheduledFor: null } };
  const moment = typeof named === 'string' ? Date.parse(named) : Number.NaN;
  if (Number.isNaN(moment)) return refused(400, 'scheduledFor is no time, as in 2026-11-15T09:00:00Z.');
  return { kind: 'call', call: { ...what, scheduledFor: moment } };
}

function whatOf(
  path: string,
  usual: string | undefined,
): { readonly do: 'sweep' } | { readonly do: 'run'; readonly pipeline: string } | null {
  if (path === '/sweep') return { do: 'sweep' };
  if (path === '/' && usual !== undefined) return { do: 'run', pipeline: usual };
  const pipeline = /^\/run\/([A-Za-z0-9_-]{1,64})$/.exec(path)?.[1];
  return pipeline === undefined ? null : { do: 'run', pipeline };
}

/** Cloud Functions has read the body already; elsewhere it is read here. */
async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | null> {
  const ready = 'body' in request ? request.body : undefined;
  if (typeof ready === 'object' && ready !== null && !Buffer.isBuffer(ready))
    return ready as Readonly<Record<string, unknown>>;
  if ('rawBody' in request || 'body' in request) return {};
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LARGEST_BODY) return null;
  }
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function refused(status: number, why: string): ReadCall {
  return { kind: 'refused', status, why };
}
