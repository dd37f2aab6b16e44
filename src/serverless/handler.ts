import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app.ts';
import type { Logger } from '../telemetry/logger.ts';
import { answerCall, type Call, type CallAnswer } from './calls.ts';
import { readCall } from './read-call.ts';

export interface HandlerOptions {
  /** Opened at the first call and kept for those that follow. */
  readonly app: () => Promise<App>;
  readonly log: Logger;
  /** How long one call may work; below the platform's own limit. */
  readonly withinMs: number;
  /** The pipeline of `POST /`, where the caller names none. */
  readonly pipeline?: string;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Not 2xx means: call again. So a run under way elsewhere is a conflict, until it is done and the answer is 200. */
const STATUS: Readonly<Record<CallAnswer['outcome'], number>> = {
  ran: 200,
  'done already': 200,
  'under way': 409,
  'cut short': 503,
  'no such pipeline': 404,
};

/**
 * Answers the calls of a scheduler over HTTP: `POST /run/<pipeline>`, `POST /sweep`, `GET /healthz`. It speaks plain
 * `node:http`, which Cloud Functions, Cloud Run and every test have in common. Who may call is the platform's to decide.
 */
export function createHandler(options: HandlerOptions): Handler {
  return async (request, response) => {
    const read = await readCall(request, options.pipeline);
    if (read.kind === 'health') return answer(response, 200, { alive: true });
    if (read.kind === 'refused') return answer(response, read.status, { error: read.why });
    try {
      const result = await call(read.call, options);
      answer(response, STATUS[result.outcome], { ...read.call, ...result });
    } catch (error) {
      options.log.error('A call failed', { error });
      answer(response, 500, { ...read.call, outcome: 'failed', error: 'The log says more.' });
    }
  };
}

async function call(asked: Call, { app, withinMs }: HandlerOptions): Promise<CallAnswer> {
  return answerCall(await app(), asked, AbortSignal.timeout(withinMs));
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 409 && { 'retry-after': '60' }),
  });
  response.end(JSON.stringify(body));
}
