import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Revocations } from '../../auth/revocations.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import { SECOND } from '../../time/duration.ts';
import { decodeCursor } from '../../timelines/cursor.ts';
import type { StreamResult } from '../../timelines/streams.ts';
import { STREAM_HEAD } from '../../timelines/streams.ts';
import { clientNetwork } from './client-address.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, isEventSource, refusedStreamBody } from './problem.ts';
import { parseQuery } from './route.ts';
import { namedTimeline } from './timeline-routes.ts';

/** Guests are counted by address, which many people may share. */
export const MAX_STREAMS_PER_ADDRESS = 100;
/** Minimum reconnection time for a refused client. */
const RETRY_AFTER_MS = 3 * SECOND;

const streamQuery = z.strictObject({
  /** For the first connection, which a browser makes without `Last-Event-ID`. */
  since_id: z.string().optional(),
});

export interface StreamRouteDependencies {
  readonly newsroom: Pick<Newsroom, 'streams' | 'timelines'>;
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** The response is a stream whose end is not the end of a request. Returns a function to call when it is opened or refused. */
  readonly onStream: (reply: FastifyReply) => (status: number) => void;
}

/** `GET /events/timeline/{local,global,home}`: the streams (C5, C20). */
export function streamRoutes(
  server: FastifyInstance,
  { newsroom, revocations, onStream }: StreamRouteDependencies,
): void {
  // No HEAD: it would open a stream that cannot be read.
  const options = { exposeHeadRoute: false, config: { access: 'everybody' } } as const;
  server.get<{ Params: { name: string } }>('/events/timeline/:name', options, async (request, reply) => {
    const timeline = namedTimeline(request.params.name, request);
    const { since_id: since } = parseQuery(streamQuery, request.query);
    // Looks up whether there is a drop with such an ID.
    if (since !== undefined && decodeCursor(since) === null) {
      const answer = await newsroom.timelines.page(timeline, { limit: 1, sinceId: since });
      if (!answer.ok) throw badRequest([{ field: answer.field, detail: answer.why }]);
    }
    const eventSource = isEventSource(request);
    const last = request.headers['last-event-id'];
    const after = typeof last === 'string' && last !== '' ? last : since;

    const { identity } = request;
    const headers = reply.getHeaders() as OutgoingHttpHeaders;
    reply.hijack();
    const answered = onStream(reply);
    const connect = (): Promise<StreamResult> =>
      newsroom.streams.connect(
        {
          timeline,
          headers,
          ...(identity === null
            ? { reader: `guest ${clientNetwork(request.ip)}`, maxStreams: MAX_STREAMS_PER_ADDRESS }
            : {
                reader: identity.userId,
                endsAt: identity.expiresAt,
                onRevoked: (listener) => revocations.onRevoked(identity.id, listener),
              }),
          ...(after === undefined ? {} : { after }),
        },
        reply.raw,
      );
    const [kind = ''] = timeline.split(':').slice(1);
    const answer = await inSpan('stream.open', { timeline: kind }, connect, (opened) =>
      opened.connected ? null : opened.why,
    );
    answered(answer.connected ? 200 : refuseStream(reply.raw, answer.why, { headers, eventSource }));
  });
}

const STREAM_REFUSALS = {
  too_many: {
    status: 429,
    code: 'too_many_streams',
    title: 'Too many streams',
    detail: 'Close one of the open streams first.',
  },
  stopping: {
    status: 503,
    code: 'server_stopping',
    title: 'Stopping',
    detail: 'The program is about to stop. Connect again in a moment.',
  },
} as const;

/** Answers a hijacked request for a stream that is not opened; returns the status of the refusal. */
export function refuseStream(
  response: ServerResponse,
  why: keyof typeof STREAM_REFUSALS,
  { headers, eventSource }: { readonly headers: OutgoingHttpHeaders; readonly eventSource: boolean },
): number {
  const problem = STREAM_REFUSALS[why];
  if (eventSource) {
    response.writeHead(200, { ...headers, ...STREAM_HEAD, connection: 'close' });
    response.end(refusedStreamBody(problem, RETRY_AFTER_MS));
    return problem.status;
  }
  response.writeHead(problem.status, {
    ...headers,
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': String(RETRY_AFTER_MS / SECOND),
  });
  response.end(JSON.stringify({ type: 'about:blank', ...problem }));
  return problem.status;
}
