import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ServiceUnavailableError } from '../../social/refusals.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { TimelinesUnavailableError } from '../../timeline/unavailable.ts';
import { answerProblem, ProblemError } from '../problem.ts';

const TITLES: Readonly<Record<number, string>> = {
  408: 'Too slow',
  413: 'Too large',
  414: 'Too long an address',
  415: 'Not this kind of content',
};

/** Every error is an answer in the form of RFC 9457. What went wrong inside is for the log, not for whoever asks. */
export function answerErrors(server: FastifyInstance, log: Logger): void {
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof ProblemError) return answerProblem(reply.headers(error.headers), error.problem);
    const { status, code } = standingOf(error);
    const route = request.routeOptions.url ?? 'none';
    if (code === 'FST_ERR_HANDLER_TIMEOUT') {
      log.warn('a request took too long', { route });
      return answerProblem(reply.header('retry-after', '10'), {
        status: 503,
        title: 'This takes too long now',
        detail: 'Something that the newsroom needs does not answer. Try again in a moment.',
      });
    }
    if (error instanceof ServiceUnavailableError || error instanceof TimelinesUnavailableError) {
      log.debug('a request needs what is away now', { route, error });
      return answerProblem(reply.header('retry-after', '5'), {
        status: 503,
        title: 'Not there at the moment',
        detail: 'A part that is needed for this does not answer. Try again in a moment.',
      });
    }
    if (status < 500) {
      const detail = error instanceof Error ? error.message : 'The request could not be read.';
      return answerProblem(reply, { status, title: TITLES[status] ?? 'The request makes no sense', detail });
    }
    log.error('a request failed', { route, error });
    return answerProblem(reply, {
      status: 500,
      title: 'Something went wrong here',
      detail: 'The log of the program says more.',
    });
  });
}

/** For what is no HTTP at all, or never ends: there is no request yet that could be answered in the usual way. */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const words = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({
    type: 'about:blank',
    status,
    title: TITLES[status] ?? 'The request makes no sense',
    detail: 'The request could not be read.',
  });
  socket.end(
    `HTTP/1.1 ${status} ${words}\r\ncontent-type: application/problem+json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function standingOf(error: unknown): { readonly status: number; readonly code: string } {
  if (typeof error !== 'object' || error === null) return { status: 500, code: '' };
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { status: status >= 400 ? status : 500, code };
}
