import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ReaderStreams } from '../../reader/reader-streams.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import { clientNetwork } from './client-address.ts';
import { isEventSource } from './problem.ts';
import { MAX_STREAMS_PER_ADDRESS, refuseStream, type StreamRouteDependencies } from './stream-routes.ts';

export interface ReaderEventDependencies extends Pick<StreamRouteDependencies, 'revocations' | 'onStream'> {
  readonly streams: Pick<ReaderStreams, 'connect'>;
}

/**
 * `GET /events/reader`: tells the open pages of a person what the others changed, and everyone what arrived (R6). Events: `entries`,
 * `state` and `sources`. None is repeated after an interruption: a page reads the overview again when it reconnects.
 */
export function readerEventRoutes(
  server: FastifyInstance,
  { streams, revocations, onStream }: ReaderEventDependencies,
): void {
  // No HEAD: it would open a stream that cannot be read.
  const options = { exposeHeadRoute: false, config: { access: 'everybody' } } as const;
  server.get('/events/reader', options, async (request, reply) => {
    const eventSource = isEventSource(request);
    const { identity } = request;
    const headers = reply.getHeaders() as OutgoingHttpHeaders;
    reply.hijack();
    const answered = onStream(reply);
    const connect = () =>
      streams.connect(
        identity === null
          ? {
              person: null,
              countedAs: `guest ${clientNetwork(request.ip)}`,
              maxStreams: MAX_STREAMS_PER_ADDRESS,
              headers,
            }
          : {
              person: identity.userId,
              countedAs: identity.userId,
              headers,
              endsAt: identity.expiresAt,
              onRevoked: (listener) => revocations.onRevoked(identity.id, listener),
            },
        reply.raw,
      );
    const answer = await inSpan('stream.open', { timeline: 'reader' }, connect, (opened) =>
      opened.connected ? null : opened.why,
    );
    answered(answer.connected ? 200 : refuseStream(reply.raw, answer.why, { headers, eventSource }));
  });
}
