import type { FastifyInstance } from 'fastify';
import type { RouteForm } from './route.ts';

export interface KnownRoute {
  readonly method: string;
  /** With its prefix. */
  readonly url: string;
  /** What the description says of it; `null` also for the HEAD that comes with a GET. */
  readonly form: RouteForm | null;
}

/** Every route that is added from now on. */
export function collectRoutes(server: FastifyInstance): readonly KnownRoute[] {
  const routes: KnownRoute[] = [];
  server.addHook('onRoute', ({ method, url, config }) => {
    const form = config?.form ?? null;
    for (const one of [method].flat())
      routes.push({ method: one, url, form: form?.method === one ? form : null });
  });
  return routes;
}

/** The methods that an address knows; empty where it is nobody's. */
export function methodsAt(routes: readonly KnownRoute[], path: string): string[] {
  return [...new Set(routes.filter(({ url }) => patternOf(url).test(path)).map(({ method }) => method))];
}

function patternOf(url: string): RegExp {
  const parts = url
    .split(/(:[A-Za-z]+|\*)/)
    .map((part) =>
      part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${parts.join('')}$`);
}
