import type { FastifyInstance } from 'fastify';
import type { Newsroom } from './newsroom.ts';

/** Liveness, readiness and metrics. The names of components that are not ready are only for operators. */
export function healthRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  const probe = { config: { access: 'open', rateLimited: false } } as const;
  server.get('/healthz', probe, async (request, reply) => {
    const liveness = newsroom.liveness?.() ?? { alive: true };
    return reply
      .code(liveness.alive ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(request.isOperator() ? liveness : { alive: liveness.alive });
  });

  server.get('/readyz', probe, async (request, reply) => {
    const { ready, parts } = await newsroom.readiness();
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(request.isOperator() ? { ready, parts } : { ready });
  });

  const figures = { config: { access: 'operator', rateLimited: false } } as const;
  server.get('/metrics', figures, async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(await newsroom.metrics()),
  );
}
