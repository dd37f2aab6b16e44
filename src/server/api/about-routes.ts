import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { KnownRoute } from '../frame/known-routes.ts';
import { openApi } from '../frame/open-api.ts';
import { addRoute } from '../frame/route.ts';

/** The API's own description. */
export function aboutRoutes(server: FastifyInstance, routes: readonly KnownRoute[], version: string): void {
  addRoute(
    server,
    {
      method: 'GET',
      url: '/openapi.json',
      about: 'This description.',
      group: 'About',
      access: 'open',
      answer: z.looseObject({ openapi: z.string() }),
    },
    async () => openApi(routes, version),
  );
}
