import type { FastifyInstance } from 'fastify';
import type { Access, RouteForm } from './route.ts';

export interface KnownRoute {
  readonly method: string;
  /** With its prefix. */
  readonly url: string;
  readonly access: Access;
  readonly rateLimited: boolean;
  /** What the description says of it; `null` also for the HEAD that comes with a GET. */
  readonly form: RouteForm | null;
}

/** The table of every route that is added from now on. A route that does not declare who may call it is refused. */
export function collectRoutes(server: FastifyInstance): readonly KnownRoute[] {
  const routes: KnownRoute[] = [];
  server.addHook('onRoute', ({ method, url, config }) => {
    const { access, form = null, rateLimited = true } = config ?? {};
    if (access === undefined)
      throw new Error(`Route ${[method].flat().join(', ')} ${url} does not declare its access.`);
    for (const one of [method].flat())
      routes.push({ method: one, url, access, rateLimited, form: form?.method === one ? form : null });
  });
  return routes;
}

/** The methods that an address knows, whatever its spelling; empty where no route is there. For error messages only. */
export function methodsAt(routes: readonly KnownRoute[], target: string): string[] {
  const path = pathOf(target);
  return [...new Set(routes.filter(({ url }) => patternOf(url).test(path)).map(({ method }) => method))];
}

/** The path of a request target, decoded and without the host of the absolute form. */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function patternOf(url: string): RegExp {
  const parts = url
    .split(/(:[A-Za-z]+|\*)/)
    .map((part) =>
      part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${parts.join('')}$`);
}
