import type { FastifyReply, FastifyRequest } from 'fastify';
import { reconnectAfter, STREAM_HEAD } from '../stream/timeline-streams.ts';
import { SECOND } from '../time/duration.ts';

/** An error as a program can read it and a person too (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Which part of the request is wrong, where one is. */
  readonly errors?: readonly FieldProblem[];
}

export interface FieldProblem {
  readonly field: string;
  readonly detail: string;
}

/** Thrown by handlers; the server turns it into its answer. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  /** Sent with the answer, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

export function notFound(what: string): ProblemError {
  return new ProblemError({ status: 404, title: 'Not found', detail: `There is no ${what}.` });
}

export function badRequest(errors: readonly FieldProblem[]): ProblemError {
  const detail = errors.map((error) => `${error.field}: ${error.detail}`).join('; ');
  return new ProblemError({ status: 400, title: 'The request makes no sense', detail, errors });
}

export function answerProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  reply.code(problem.status).header('cache-control', 'no-store');
  const retryAfterMs = Number(reply.getHeader('retry-after')) * SECOND;
  if (retryAfterMs > 0 && isEventSource(reply.request)) {
    refusedStreams.set(reply, problem.status);
    return reply.code(200).headers(STREAM_HEAD).send(refusedStream(problem, retryAfterMs));
  }
  return reply
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ type: 'about:blank', ...problem }));
}

/** The status of what was answered, also where a browser's EventSource got 200 in its place. */
export function statusOf(reply: FastifyReply): number {
  return refusedStreams.get(reply) ?? reply.statusCode;
}
const refusedStreams = new WeakMap<FastifyReply, number>();

/**
 * Whether the request may be that of a browser's EventSource, which gives up for good at any status but 200. It is
 * answered by a stream that ends at once and says when to connect again.
 */
export function isEventSource({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/event-stream') === true;
}

export function refusedStream({ title, detail }: Problem, retryAfterMs: number): string {
  return `${reconnectAfter(retryAfterMs)}: ${title}. ${detail}\n\n`;
}
