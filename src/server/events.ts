import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { decodeCursor } from '../timeline/cursor.ts';
import { namedTimeline } from './api/timelines.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, ProblemError } from './problem.ts';
import { readQuery } from './query.ts';

/** Guests are counted by address, and many people can share one. */
const STREAMS_PER_ADDRESS = 100;

const eventsQuery = z.strictObject({
  /** For the first connection, which a browser makes without `Last-Event-ID`. */
  since_id: z.string().optional(),
});

/** `GET /events/timeline/{local,global,home}`: the streams (C5, C20). */
export function eventRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  // Without HEAD: it would open a stream that nobody can read.
  const options = { exposeHeadRoute: false };
  server.get<{ Params: { name: string } }>('/events/timeline/:name', options, async (request, reply) => {
    refuseTokenInAddress(request.query);
    const timeline = namedTimeline(request.params.name);
    const { since_id: since } = readQuery(eventsQuery, request.query);
    if (since !== undefined && decodeCursor(since) === null)
      throw badRequest([
        { field: 'since_id', detail: 'must be a cursor from an earlier answer or the ID of a drop' },
      ]);
    const last = request.headers['last-event-id'];
    const after = typeof last === 'string' && last !== '' ? last : since;

    reply.hijack();
    const answer = await newsroom.streams.connect(
      {
        timeline,
        reader: `guest ${request.ip}`,
        atMost: STREAMS_PER_ADDRESS,
        ...(after === undefined ? {} : { after }),
      },
      reply.raw,
    );
    if (!answer.connected) refuse(reply.raw, answer.why);
  });
}

/** An address ends up in logs and histories. */
function refuseTokenInAddress(query: unknown): void {
  if (typeof query !== 'object' || query === null) return;
  const named = Object.keys(query).find((key) => /token|secret|authorization|api_?key/i.test(key));
  if (named === undefined) return;
  throw new ProblemError({
    status: 400,
    title: 'A token does not belong in an address',
    detail: 'Send it in the Authorization header, or use the session cookie.',
    errors: [{ field: named.slice(0, 40), detail: 'is not taken from the address' }],
  });
}

function refuse(response: ServerResponse, why: 'too_many' | 'stopping'): void {
  const problem =
    why === 'too_many'
      ? { status: 429, title: 'Too many streams', detail: 'Close one of the open streams first.' }
      : {
          status: 503,
          title: 'Stopping',
          detail: 'The program is about to stop. Connect again in a moment.',
        };
  response.writeHead(problem.status, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '10',
  });
  response.end(JSON.stringify({ type: 'about:blank', ...problem }));
}
