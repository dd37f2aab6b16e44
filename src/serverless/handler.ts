import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import type { DueRun } from '../scheduler/due-run.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A request of the scheduler: run one pipeline, or sweep old items. */
export type Call =
  | { readonly do: 'run'; readonly pipeline: string; readonly scheduledFor: number | null }
  | { readonly do: 'sweep'; readonly scheduledFor: number | null };

export type CallAnswer = DueRun | { readonly outcome: 'no such pipeline' };

/**
 * Executes a call. Idempotent: schedulers and queues may repeat a call, also concurrently, and only one of them does the
 * work.
 */
export async function answerCall(app: App, call: Call, signal: AbortSignal): Promise<CallAnswer> {
  if (call.do === 'sweep') {
    const swept = await app.runIfDue('retention', call.scheduledFor, signal);
    return swept ?? { outcome: 'no such pipeline' };
  }
  const pipeline = app.pipelines.get(call.pipeline);
  const ran = pipeline && (await app.runIfDue(pipeline.id, call.scheduledFor, signal));
  if (pipeline === undefined || ran == null) return { outcome: 'no such pipeline' };
  // No background dispatcher runs here: send the messages that became due since the last call.
  await pipeline.dispatch(signal);
  return ran;
}

export type ParsedCall =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'health' }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

const MAX_BODY_BYTES = 64 * 1024;
/** The scheduled time of a call, set by Cloud Scheduler; the same on every retry. */
const SCHEDULE_TIME = 'x-cloudscheduler-scheduletime';

/** Parses a request. The scheduled time is Cloud Scheduler's header or `scheduledFor` in the body. */
export async function parseCall(request: IncomingMessage, usual?: string): Promise<ParsedCall> {
  const [path = '/'] = (request.url ?? '/').split('?');
  if (request.method === 'GET' && (path === '/healthz' || path === '/readyz')) return { kind: 'health' };
  const what = routeOf(path, usual);
  if (what === null) return refused(404, 'There is POST /run/<pipeline>, POST /sweep and GET /healthz.');
  if (request.method !== 'POST') return refused(405, 'Ask with POST.');
  const body = await readBody(request);
  if (body === null) return refused(400, 'The body is no JSON object, or larger than 64 KB.');
  const named = request.headers[SCHEDULE_TIME] ?? body.scheduledFor;
  if (named === undefined || named === null) return { kind: 'call', call: { ...what, scheduledFor: null } };
  const moment = typeof named === 'string' ? Date.parse(named) : Number.NaN;
  if (Number.isNaN(moment)) return refused(400, 'scheduledFor is no time, as in 2026-11-15T09:00:00Z.');
  return { kind: 'call', call: { ...what, scheduledFor: moment } };
}

function routeOf(
  path: string,
  usual: string | undefined,
): { readonly do: 'sweep' } | { readonly do: 'run'; readonly pipeline: string } | null {
  if (path === '/sweep') return { do: 'sweep' };
  if (path === '/' && usual !== undefined) return { do: 'run', pipeline: usual };
  const pipeline = /^\/run\/([A-Za-z0-9_-]{1,64})$/.exec(path)?.[1];
  return pipeline === undefined ? null : { do: 'run', pipeline };
}

/** Cloud Functions has read the body already; elsewhere it is read here. */
async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | null> {
  const ready = 'body' in request ? request.body : undefined;
  if (typeof ready === 'object' && ready !== null && !Buffer.isBuffer(ready))
    return ready as Readonly<Record<string, unknown>>;
  if ('rawBody' in request || 'body' in request) return {};
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) return null;
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

function refused(status: number, why: string): ParsedCall {
  return { kind: 'refused', status, why };
}

export interface HandlerOptions {
  /** Opened on the first call and reused. */
  readonly app: () => Promise<App>;
  readonly log: Logger;
  /** Timeout of one call; below the platform's own limit. */
  readonly withinMs: number;
  /** The pipeline of `POST /`, where the caller names none. */
  readonly pipeline?: string;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Callers retry unless the status is 2xx, so a run in progress elsewhere is a conflict until it is done. */
const STATUS: Readonly<Record<CallAnswer['outcome'], number>> = {
  ran: 200,
  'done already': 200,
  paused: 200,
  'under way': 409,
  'cut short': 503,
  'no such pipeline': 404,
};

/**
 * HTTP handler for a scheduler: `POST /run/<pipeline>`, `POST /sweep`, `GET /healthz`. It uses plain `node:http`, which
 * Cloud Functions, Cloud Run and tests have in common. The platform authorises callers.
 */
export function createHandler(options: HandlerOptions): Handler {
  return async (request, response) => {
    const read = await parseCall(request, options.pipeline);
    if (read.kind === 'health') return respond(response, 200, { alive: true });
    if (read.kind === 'refused') return respond(response, read.status, { error: read.why });
    try {
      const result = await runCall(read.call, options);
      respond(response, STATUS[result.outcome], { ...read.call, ...result });
    } catch (error) {
      options.log.error('Failed to execute call', { error });
      respond(response, 500, { ...read.call, outcome: 'failed', error: 'The log says more.' });
    }
  };
}

async function runCall(call: Call, { app, withinMs }: HandlerOptions): Promise<CallAnswer> {
  return answerCall(await app(), call, AbortSignal.timeout(withinMs));
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 409 && { 'retry-after': '60' }),
  });
  response.end(JSON.stringify(body));
}
