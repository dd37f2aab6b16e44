import { z } from 'zod';
import type { KnownRoute } from './known-routes.ts';
import type { RouteForm } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

/** One route as the description has it; schemas of a shape that the reader names. */
export interface Operation<Schema = unknown> {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
      }
    >
  >;
}

const PROBLEM_WORDS: Readonly<Record<number, string>> = {
  400: 'Something in the request makes no sense; `errors` says what.',
  401: 'Sign in first, or again.',
  403: 'Not allowed for whoever asks.',
  404: 'There is no such thing.',
  409: 'It cannot be done as things stand.',
  413: 'The body is too large.',
  415: 'The body is of another kind.',
  422: 'It was understood, and refused.',
  429: 'Too many requests; `Retry-After` says when.',
  500: 'Something went wrong inside.',
  502: 'Somebody else’s server did not do its part.',
  503: 'Not now; `Retry-After` says when.',
};

/** The description of the API (OpenAPI 3.1), made of the routes themselves. */
export function openApi(routes: readonly KnownRoute[], version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { url, form } of routes) {
    if (form === null) continue;
    const path = url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [form.method.toLowerCase()]: operation(form, path) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kawaraban',
      version,
      description:
        'Everything that the page does. A program sends `Authorization: Bearer <token>`; a browser has its session cookie, and sends `X-CSRF-Token` with every change.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.flatMap(({ form }) => form?.group ?? []))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        session: { type: 'apiKey', in: 'cookie', name: 'kawaraban_session' },
      },
    },
  };
}

const PROBLEM: Json = {
  type: 'object',
  required: ['type', 'status', 'title', 'detail'],
  properties: {
    type: { type: 'string' },
    status: { type: 'integer' },
    title: { type: 'string' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'detail'],
        properties: { field: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

function operation(form: RouteForm, path: string): Json {
  const { answer, status = 200, mediaType = 'application/json' } = form;
  const good =
    answer === undefined
      ? { 204: { description: 'Done.' } }
      : {
          [status]: {
            description: 'As asked.',
            content: { [mediaType]: { schema: schemaOf(answer, 'output') } },
          },
        };
  const problems = [...new Set([...usualProblems(form), ...(form.problems ?? [])])].sort((a, b) => a - b);
  return {
    operationId: `${form.method.toLowerCase()} ${path}`.replaceAll(
      /[^A-Za-z0-9]+(.)?/g,
      (_, next: string = '') => next.toUpperCase(),
    ),
    summary: form.about,
    tags: [form.group],
    ...security(form),
    parameters: [...parameters(form.params, 'path'), ...parameters(form.query, 'query')],
    ...(form.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(form.body, 'input') } },
          },
        }),
    responses: {
      ...good,
      ...Object.fromEntries(
        problems.map((code) => [
          code,
          {
            description: PROBLEM_WORDS[code] ?? 'A problem.',
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        ]),
      ),
    },
  };
}

function usualProblems({ access, query, body, params }: RouteForm): number[] {
  return [
    ...(query || body || params ? [400] : []),
    ...(access === 'open' ? [] : [401]),
    ...(access === 'owner' || body ? [403] : []),
    ...(body ? [413, 415] : []),
    429,
    500,
    503,
  ];
}

function security({ access }: RouteForm): Json {
  const either = [{ bearer: [] }, { session: [] }];
  return { security: access === 'open' || access === 'everybody' ? [{}, ...either] : either };
}

function parameters(schema: z.ZodObject | undefined, where: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  return rest;
}
