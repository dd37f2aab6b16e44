import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifyServerOptions,
} from 'fastify';
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js';
import { z } from 'zod';
import type { Scope } from '../../auth/identity.ts';
import { badRequest, type FieldProblem, ProblemError } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this route. A route without it cannot be registered. */
    access?: Access;
    /** Scope that a token needs; `read` by default. */
    scope?: Scope;
    /** False for the page and for health checks: they are not rate limited. */
    rateLimited?: boolean;
    /** Entry of the API description. */
    form?: RouteDefinition;
  }
}

/**
 * Who may call a route:
 * - `open`: everyone at all times.
 * - `everybody`: guests too, unless the newsroom is closed to them.
 * - `person`: people who are signed in, with a credential of the route's scope.
 * - `owner`: owners, with a credential that may control.
 * - `operator`: requests from the networks that `telemetry.metrics_from` lists, and owners.
 */
export type Access = 'open' | 'everybody' | 'person' | 'owner' | 'operator';

/** A route of the API: access, request and response. The API description is generated from these. */
export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** One sentence. */
  readonly about: string;
  readonly group: RouteGroup;
  readonly access: Access;
  /** Scope that a token needs; derived from the method by default. */
  readonly scope?: Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Body of a 200 (or `status`); absent for 204. */
  readonly answer?: z.ZodType;
  readonly status?: 200 | 201 | 202;
  /** For responses other than JSON. */
  readonly mediaType?: string;
  /** Statuses of its own problems. */
  readonly problems?: readonly number[];
  /** Maximum size of a body in bytes; defaults to the server's limit. */
  readonly bodyLimit?: number;
  /** Timeout, if longer than usual because it waits for another server. */
  readonly timeoutMs?: number;
}

export type RouteGroup =
  | 'Signing in'
  | 'Timelines'
  | 'Reader'
  | 'People'
  | 'Newsroom'
  | 'Stories'
  | 'Control room'
  | 'About';

type ParsedAs<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteContext<Form extends RouteDefinition> {
  readonly params: ParsedAs<Form['params']>;
  readonly query: ParsedAs<Form['query']>;
  readonly body: ParsedAs<Form['body']>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const compileZodSchema = ({ schema, httpPart }: FastifyRouteSchemaDef<z.ZodType>) => {
  const read = httpPart === 'body' ? parseBody : parseQuery;
  return (data: unknown) => {
    try {
      return { value: read(schema, data) };
    } catch (error) {
      if (error instanceof ProblemError) return { error };
      throw error;
    }
  };
};

/**
 * Makes Fastify validate requests by the zod schemas of their routes; an invalid one is a 400 that lists the fields. Given when the server
 * is made: Fastify would load its own validator otherwise, and its own serializer, which no route uses.
 */
export const ZOD_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    // Its type is that of the validator of Fastify.
    buildValidator: () => compileZodSchema as never,
    buildSerializer: () => () => JSON.stringify,
  },
};

/** The parts of a request that Fastify validates and the OpenAPI document describes. */
export function requestSchemas({ params, query, body }: RouteDefinition): FastifySchema {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}

/** Adds a route; its handler gets only authorized and valid requests. */
export function addRoute<const Form extends RouteDefinition>(
  server: FastifyInstance,
  form: Form,
  /** Returns what `answer` describes; tests check real responses against it. */
  handler: (ask: RouteContext<Form>) => Promise<unknown>,
): void {
  server.route({
    method: form.method,
    url: form.url,
    config: { form, access: form.access, scope: form.scope ?? (form.method === 'GET' ? 'read' : 'write') },
    schema: requestSchemas(form),
    ...(form.bodyLimit === undefined ? {} : { bodyLimit: form.bodyLimit }),
    ...(form.timeoutMs === undefined ? {} : { handlerTimeout: form.timeoutMs }),
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const answer = await handler({ params, query, body, request, reply } as RouteContext<Form>);
      if (reply.sent) return reply;
      if (form.answer === undefined) return reply.code(204).send();
      reply.code(form.status ?? 200);
      return form.mediaType === undefined ? answer : reply.type(form.mediaType).send(answer);
    },
  });
}

export interface RegisteredRoute {
  readonly method: string;
  /** Including its prefix. */
  readonly url: string;
  readonly access: Access;
  readonly rateLimited: boolean;
  /** Its API description; `null` also for the HEAD that comes with a GET. */
  readonly definition: RouteDefinition | null;
}

/** Collects all routes added from now on. A route without declared access is rejected. */
export function collectRoutes(server: FastifyInstance): readonly RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  server.addHook('onRoute', ({ method, url, config }) => {
    const { access, form = null, rateLimited = true } = config ?? {};
    if (access === undefined)
      throw new Error(`Route ${[method].flat().join(', ')} ${url} does not declare its access.`);
    for (const one of [method].flat())
      routes.push({ method: one, url, access, rateLimited, definition: form?.method === one ? form : null });
  });
  return routes;
}

/** Methods of the routes at a path; empty if there are none. For error messages only. */
export function methodsAt(routes: readonly RegisteredRoute[], target: string): string[] {
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

/** Reads a request's query; reports all problems at once, each with its field. */
export function parseQuery<T extends z.ZodType>(schema: T, query: unknown): z.infer<T> {
  const read = schema.safeParse(query);
  if (read.success) return read.data;
  throw badRequest(read.error.issues.flatMap(toProblems));
}

function toProblems(issue: z.core.$ZodIssue): readonly FieldProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((field) => ({ field, code: 'unknown_field', detail: 'is not a known field' }));
  return [{ field: issue.path.join('.'), detail: issue.message, ...codeOf(issue) }];
}

function codeOf(issue: z.core.$ZodIssue): Pick<FieldProblem, 'code' | 'parameters'> {
  if (issue.code === 'too_big') {
    const code = issue.origin === 'string' || issue.origin === 'array' ? 'too_long' : 'too_large';
    return { code, parameters: { maximum: Number(issue.maximum) } };
  }
  if (issue.code === 'too_small') {
    const isSize = issue.origin === 'string' || issue.origin === 'array';
    if (isSize && Number(issue.minimum) === 1) return { code: 'required' };
    return { code: isSize ? 'too_short' : 'too_small', parameters: { minimum: Number(issue.minimum) } };
  }
  return issue.code === 'custom' ? {} : { code: 'invalid' };
}

/** A page's size. */
export function limitParameter(most: number, usual: number) {
  const message = `must be a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .pipe(z.number().int().min(1, message).max(most, message))
    .default(usual)
    .describe(`How many, 1 to ${most}; ${usual} by default.`);
}

/** Cursor of an earlier response. */
export function cursorParameter(longest: number) {
  return z
    .string()
    .max(longest, 'is not a cursor from an earlier answer')
    .optional()
    .describe('`next` of an earlier response.');
}

/** A comma-separated list of known words. */
export function listParameter<const T extends string>(words: readonly T[]) {
  const read = z.string().transform((text, context): readonly T[] => {
    const requested = text.split(',').map((word) => word.trim());
    const known = requested.filter((word): word is T => (words as readonly string[]).includes(word));
    if (known.length !== requested.length)
      context.addIssue({
        code: 'custom',
        message: `must be one or more of ${words.join(', ')}, with commas between`,
      });
    return known;
  });
  return read.describe(
    `One or more of ${words.map((word) => `\`${word}\``).join(', ')}, with commas between.`,
  );
}

/** Reads a request's body in the same way. */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined || body === null)
    throw badRequest([{ field: 'body', detail: 'is missing: send JSON' }]);
  return parseQuery(schema, body);
}
