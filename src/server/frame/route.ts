import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { Scope } from '../../auth/identity.ts';
import { ProblemError } from '../problem.ts';
import { readBody, readQuery } from '../query.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this route. A route without it cannot be registered. */
    access?: Access;
    /** Scope that a token needs; `read` where absent. */
    scope?: Scope;
    /** False for the page itself and for health checks: they are not rate limited. */
    rateLimited?: boolean;
    /** What the API's description says of this route. */
    form?: RouteForm;
  }
}

/**
 * Who may call a route:
 * - `open`: everybody at all times.
 * - `everybody`: guests too, unless the newsroom is closed to them.
 * - `person`: people who are signed in, with a credential of the route's scope.
 * - `owner`: owners, with a credential that may control.
 * - `operator`: requests from the networks that `telemetry.metrics_from` lists, and owners.
 */
export type Access = 'open' | 'everybody' | 'person' | 'owner' | 'operator';

/** A route of the API: who may use it, what goes in and what comes out. The description of the API is made of these. */
export interface RouteForm {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** One sentence. */
  readonly about: string;
  readonly group: RouteGroup;
  readonly access: Access;
  /** What a token must be allowed; by the method where absent. */
  readonly scope?: Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What a 200 (or `status`) carries; absent for 204. */
  readonly answer?: z.ZodType;
  readonly status?: 200 | 201 | 202;
  /** Where the answer is no JSON. */
  readonly mediaType?: string;
  /** Statuses of the problems that are its own. */
  readonly problems?: readonly number[];
  /** Bytes of a body; the server's own limit where absent. */
  readonly bodyLimit?: number;
  /** How long it may take, where that is longer than usual: it waits for somebody else's server. */
  readonly slowestMs?: number;
}

export type RouteGroup =
  | 'Signing in'
  | 'Timelines'
  | 'People'
  | 'Newsroom'
  | 'Stories'
  | 'Control room'
  | 'About';

type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Ask<Form extends RouteForm> {
  readonly params: Read<Form['params']>;
  readonly query: Read<Form['query']>;
  readonly body: Read<Form['body']>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Makes Fastify validate requests by the zod schemas of their routes; what is wrong is a 400 with its fields. */
export function validateByZod(server: FastifyInstance): void {
  server.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => {
    const read = httpPart === 'body' ? readBody : readQuery;
    return (data: unknown) => {
      try {
        return { value: read(schema, data) };
      } catch (error) {
        if (error instanceof ProblemError) return { error };
        throw error;
      }
    };
  });
}

/** The parts of a request that Fastify validates, and that the OpenAPI document describes. */
export function requestSchemas({ params, query, body }: RouteForm): FastifySchema {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}

/** Adds a route; its handler gets only requests that its access and its schemas allow. */
export function addRoute<const Form extends RouteForm>(
  server: FastifyInstance,
  form: Form,
  /** Gives what `answer` describes; the tests hold real answers against it. */
  handler: (ask: Ask<Form>) => Promise<unknown>,
): void {
  server.route({
    method: form.method,
    url: form.url,
    config: { form, access: form.access, scope: form.scope ?? (form.method === 'GET' ? 'read' : 'write') },
    schema: requestSchemas(form),
    ...(form.bodyLimit === undefined ? {} : { bodyLimit: form.bodyLimit }),
    ...(form.slowestMs === undefined ? {} : { handlerTimeout: form.slowestMs }),
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const answer = await handler({ params, query, body, request, reply } as Ask<Form>);
      if (reply.sent) return reply;
      if (form.answer === undefined) return reply.code(204).send();
      reply.code(form.status ?? 200);
      return form.mediaType === undefined ? answer : reply.type(form.mediaType).send(answer);
    },
  });
}
