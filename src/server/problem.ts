import type { FastifyReply } from 'fastify';

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
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ type: 'about:blank', ...problem }));
}
