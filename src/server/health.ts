import type { FastifyInstance } from 'fastify';
import type { Newsroom } from './newsroom.ts';

/** For whoever runs the program: is it alive, can it serve, what does it count. */
export function healthRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  server.get('/healthz', async (_request, reply) => {
    const liveness = newsroom.liveness?.() ?? { alive: true };
    return reply
      .code(liveness.alive ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(liveness);
  });

  server.get('/readyz', async (_request, reply) => {
    const readiness = await newsroom.readiness();
    return reply
      .code(readiness.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(readiness);
  });

  server.get('/metrics', async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(await newsroom.metrics()),
  );
}
