import Fastify, { type FastifySchema } from 'fastify';
import { z } from 'zod';
import type { KnownRoute } from './known-routes.ts';
import { type Access, type RouteForm, requestSchemas } from './route.ts';

/** The OpenAPI document, as far as our own pages read it. */
export interface ApiDocument<Schema = unknown> {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation<Schema>>>>>;
}

/** One route of the document; schemas of a shape that the reader names. */
export interface Operation<Schema = unknown> {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly 'x-access': Access;
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content<Schema> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content<Schema> }>
  >;
}

type Content<Schema> = Readonly<Record<string, { readonly schema: Schema }>>;

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

const problem = z.looseObject({
  type: z.string(),
  status: z.int(),
  title: z.string(),
  detail: z.string(),
  errors: z.array(z.looseObject({ field: z.string(), detail: z.string() })).optional(),
});
/** In the document a reference to the component of this name. */
const problemReference = problem.meta({ id: 'Problem' });

/**
 * The OpenAPI 3.1 document of the API, from the declarations of its routes. It is generated in an instance of its own,
 * so that a server loads `@fastify/swagger` only when the document is first requested.
 */
export async function openApi(routes: readonly KnownRoute[], version: string): Promise<ApiDocument> {
  const [{ default: swagger }, { jsonSchemaTransform }] = await Promise.all([
    import('@fastify/swagger'),
    import('fastify-type-provider-zod'),
  ]);
  const described = routes.flatMap(({ url, form }) => (form === null ? [] : [{ url, form }]));
  const generator = Fastify({ exposeHeadRoutes: false })
    .setValidatorCompiler(() => () => true)
    .setSerializerCompiler(() => () => '');
  await generator.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kawaraban',
        version,
        description:
          'Everything that the page does. A program sends `Authorization: Bearer <token>`; a browser has its session cookie, and sends `X-CSRF-Token` with every change.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [...new Set(described.map(({ form }) => form.group))].map((name) => ({ name })),
      components: {
        schemas: { Problem: z.toJSONSchema(problem) as object },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: { type: 'apiKey', in: 'cookie', name: 'kawaraban_session' },
        },
      },
    },
    convertConstToEnum: false,
    transform: jsonSchemaTransform,
  });
  for (const { url, form } of described)
    generator.route({ method: form.method, url, schema: schemaOf(url, form), handler: async () => '' });
  await generator.ready();
  return generator.swagger() as unknown as ApiDocument;
}

export interface ListedOperation<Schema = unknown> {
  readonly method: string;
  /** As the router has it: `/users/:id`. */
  readonly url: string;
  readonly operation: Operation<Schema>;
}

/** The operations of a document, under their tags. */
export function operationsByTag<Schema>({
  tags,
  paths,
}: ApiDocument<Schema>): (readonly [tag: string, operations: readonly ListedOperation<Schema>[]])[] {
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      operation,
    })),
  );
  return tags.map(({ name }) => [name, listed.filter(({ operation }) => operation.tags.includes(name))]);
}

function schemaOf(url: string, form: RouteForm): FastifySchema & { readonly 'x-access': Access } {
  const { access, answer, status = 200, mediaType = 'application/json' } = form;
  const problems = new Set([...usualProblems(form), ...(form.problems ?? [])]);
  const credentials = [{ bearer: [] }, { session: [] }];
  return {
    operationId: `${form.method.toLowerCase()} ${url}`.replaceAll(
      /[^A-Za-z0-9]+(.)?/g,
      (_, next: string = '') => next.toUpperCase(),
    ),
    summary: form.about,
    tags: [form.group],
    security: access === 'open' || access === 'everybody' ? [{}, ...credentials] : credentials,
    'x-access': access,
    ...requestSchemas(form),
    response: {
      ...(answer === undefined
        ? { 204: z.null().describe('Done.') }
        : { [status]: { description: 'As asked.', content: { [mediaType]: { schema: answer } } } }),
      ...Object.fromEntries(
        [...problems].map((code) => [
          code,
          {
            description: PROBLEM_WORDS[code] ?? 'A problem.',
            content: { 'application/problem+json': { schema: problemReference } },
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
