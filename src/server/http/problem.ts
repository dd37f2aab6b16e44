import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DropError, EditUnsupportedError, ServiceUnavailableError, UserError } from '../../social/rules.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { SECOND } from '../../time/duration.ts';
import { reconnectField, STREAM_HEAD } from '../../timelines/streams.ts';
import { TimelinesUnavailableError } from '../../timelines/timeline-store.ts';
import type { FieldProblemCode, ProblemCode, ProblemParameters } from './problem-codes.ts';

/** A problem document, for programs and people (RFC 9457). */
export interface Problem {
  readonly status: number;
  /** Stable name of the problem; clients show their own text for it. */
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  /** Values of the text. */
  readonly parameters?: ProblemParameters;
  /** The invalid fields of the request, if any. */
  readonly errors?: readonly FieldProblem[];
}

export interface FieldProblem {
  readonly field: string;
  readonly detail: string;
  readonly code?: FieldProblemCode;
  readonly parameters?: ProblemParameters;
}

/** Thrown by handlers; sent as a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  /** Headers of the response, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

export function notFound(what: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `There is no ${what}.`,
    parameters: { what },
  });
}

export function badRequest(errors: readonly FieldProblem[]): ProblemError {
  const detail = errors.map((error) => `${error.field}: ${error.detail}`).join('; ');
  return new ProblemError({ status: 400, code: 'invalid_request', title: 'Invalid request', detail, errors });
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  reply.code(problem.status).header('cache-control', 'no-store');
  const retryAfterMs = Number(reply.getHeader('retry-after')) * SECOND;
  if (retryAfterMs > 0 && isEventSource(reply.request)) {
    refusedStreams.set(reply, problem.status);
    return reply.code(200).headers(STREAM_HEAD).send(refusedStreamBody(problem, retryAfterMs));
  }
  return reply
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ type: 'about:blank', ...problem }));
}

/** The status of the response, also where an EventSource got 200 in its place. */
export function sentStatus(reply: FastifyReply): number {
  return refusedStreams.get(reply) ?? reply.statusCode;
}
const refusedStreams = new WeakMap<FastifyReply, number>();

/**
 * Whether the request may come from a browser's EventSource, which gives up for good at any status but 200. It
 * gets a stream that ends at once with a reconnection time.
 */
export function isEventSource({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/event-stream') === true;
}

export function refusedStreamBody({ title, detail }: Problem, retryAfterMs: number): string {
  return `${reconnectField(retryAfterMs)}: ${title}. ${detail}\n\n`;
}

/** Problems of the HTTP request itself. */
const REQUEST_PROBLEMS: Readonly<Record<number, Pick<Problem, 'title' | 'code'>>> = {
  408: { code: 'request_timeout', title: 'Request timed out' },
  413: { code: 'request_too_large', title: 'Request too large' },
  414: { code: 'url_too_long', title: 'URL too long' },
  415: { code: 'unsupported_media_type', title: 'Unsupported media type' },
};
const UNREADABLE: Pick<Problem, 'title' | 'code'> = { code: 'unreadable_request', title: 'Invalid request' };
const UNAVAILABLE: Problem = {
  status: 503,
  code: 'temporarily_unavailable',
  title: 'Temporarily unavailable',
  detail: 'A service that this needs does not answer. Try again in a moment.',
};

/** Sends every error as a problem document (RFC 9457). Details of internal errors are only logged. */
export function installErrorHandler(server: FastifyInstance, log: Logger): void {
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof ProblemError) return sendProblem(reply.headers(error.headers), error.problem);
    const { status, code } = errorStatus(error);
    const route = request.routeOptions.url ?? 'none';
    if (code === 'FST_ERR_HANDLER_TIMEOUT') {
      log.warn('Request timed out', { route });
      return sendProblem(reply.header('retry-after', '10'), {
        status: 503,
        code: 'temporarily_unavailable',
        title: 'Request timed out',
        detail: 'A service that this needs did not answer in time. Try again in a moment.',
      });
    }
    if (error instanceof ServiceUnavailableError || error instanceof TimelinesUnavailableError) {
      log.debug('Request failed: a dependency is unavailable', { route, error });
      return sendProblem(reply.header('retry-after', '5'), UNAVAILABLE);
    }
    if (status < 500) {
      const detail = error instanceof Error ? error.message : 'The request could not be read.';
      return sendProblem(reply, { status, ...(REQUEST_PROBLEMS[status] ?? UNREADABLE), detail });
    }
    log.error('Request failed', { route, error });
    return sendProblem(reply, {
      status: 500,
      code: 'internal_error',
      title: 'Internal error',
      detail: 'See the log of the server.',
    });
  });
}

/** Not `STATUS_CODES`: a module that imports `node:http` loads Node's own fetch with it, which takes time at the start. */
const STATUS_WORDS = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
} as const;

/** For invalid or incomplete HTTP, where there is no request to reply to. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  // Before the end of a TLS handshake there is no channel for a response.
  const isHandshake = error.code?.startsWith('ERR_SSL_') ?? false;
  if (error.code === 'ECONNRESET' || isHandshake || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const words = STATUS_WORDS[status];
  const body = JSON.stringify({
    type: 'about:blank',
    status,
    ...(REQUEST_PROBLEMS[status] ?? UNREADABLE),
    detail: 'The request could not be read.',
  });
  socket.end(
    `HTTP/1.1 ${status} ${words}\r\ncontent-type: application/problem+json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function errorStatus(error: unknown): { readonly status: number; readonly code: string } {
  if (typeof error !== 'object' || error === null) return { status: 500, code: '' };
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { status: status >= 400 ? status : 500, code };
}

const USER_PROBLEMS: Readonly<Record<string, Pick<Problem, 'status' | 'title' | 'code'>>> = {
  unknown: { status: 404, code: 'not_found', title: 'Not found' },
  taken: { status: 409, code: 'name_taken', title: 'The name is taken' },
  blocked: { status: 409, code: 'blocked', title: 'Blocked' },
};

/** Maps errors of the social store to problem documents. */
export async function withSocialProblems<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw socialProblemOf(error) ?? error;
  }
}

function socialProblemOf(error: unknown): ProblemError | null {
  if (error instanceof DropError) {
    const { field } = error;
    return badRequest([{ field, detail: error.message.replace(`${field}: `, '') }]);
  }
  if (error instanceof UserError) {
    const known = USER_PROBLEMS[error.problem];
    return known === undefined
      ? badRequest([{ field: 'name', code: 'name_invalid', detail: error.message }])
      : new ProblemError({ ...known, detail: error.message, parameters: { name: error.user } });
  }
  if (error instanceof EditUnsupportedError)
    return new ProblemError({
      status: 409,
      code: 'post_edit_unsupported',
      title: 'Posts cannot be edited',
      detail: error.message,
    });
  if (error instanceof ServiceUnavailableError || error instanceof TimelinesUnavailableError)
    return new ProblemError(UNAVAILABLE, { 'retry-after': '5' });
  return null;
}
