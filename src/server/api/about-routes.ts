import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiDocument } from '../frame/open-api.ts';
import { addRoute } from '../frame/route.ts';

/** The API's own description. */
export function aboutRoutes(server: FastifyInstance, describeApi: () => Promise<ApiDocument>): void {
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
    describeApi,
  );
}
