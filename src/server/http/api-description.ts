import Fastify, { type FastifyInstance, type FastifySchema } from 'fastify';
import { z } from 'zod';
import { FIELD_PROBLEM_CODES, PROBLEM_CODES } from './problem-codes.ts';
import {
  type Access,
  addRoute,
  type RegisteredRoute,
  type RouteDefinition,
  requestSchemas,
} from './route.ts';

/** The API's own description. */
export function descriptionRoutes(server: FastifyInstance, describeApi: () => Promise<ApiDocument>): void {
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

/** The OpenAPI document, as far as our own pages use it. */
export interface ApiDocument<Schema = unknown> {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation<Schema>>>>>;
}

/** One operation of the document; the reader chooses the type of its schemas. */
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

const PROBLEM_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'Invalid request; `errors` lists the fields.',
  401: 'Sign in first, or again.',
  403: 'The caller lacks permission.',
  404: 'Not found.',
  409: 'Conflict with the current state.',
  413: 'The body is too large.',
  415: 'Unsupported media type.',
  422: 'Understood but refused.',
  429: 'Too many requests; retry after `Retry-After`.',
  500: 'Internal error.',
  502: 'Another server failed to answer.',
  503: 'Temporarily unavailable; retry after `Retry-After`.',
};

const problem = z.looseObject({
  type: z.string(),
  status: z.int(),
  code: z.enum(PROBLEM_CODES).describe('Stable name of the problem.'),
  title: z.string(),
  detail: z.string(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .optional()
    .describe('Values of its text, such as a limit.'),
  errors: z
    .array(
      z.looseObject({
        field: z.string(),
        detail: z.string(),
        code: z.enum(FIELD_PROBLEM_CODES).optional(),
      }),
    )
    .optional(),
});
/** In the document, a reference to the component of this name. */
const problemReference = problem.meta({ id: 'Problem' });

/**
 * The OpenAPI 3.1 document of the API, from the declarations of its routes. It is generated in an instance of its own,
 * so that a server loads `@fastify/swagger` only when the document is first requested.
 */
export async function openApiDocument(
  routes: readonly RegisteredRoute[],
  version: string,
): Promise<ApiDocument> {
  const [{ default: swagger }, { jsonSchemaTransform }] = await Promise.all([
    import('@fastify/swagger'),
    import('fastify-type-provider-zod'),
  ]);
  const described = routes.flatMap(({ url, definition: form }) => (form === null ? [] : [{ url, form }]));
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
  /** As the router spells it: `/users/:id`. */
  readonly url: string;
  readonly operation: Operation<Schema>;
}

/** The operations of a document, grouped by tag. */
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

function schemaOf(url: string, form: RouteDefinition): FastifySchema & { readonly 'x-access': Access } {
  const { access, answer, status = 200, mediaType = 'application/json' } = form;
  const problems = new Set([...commonProblems(form), ...(form.problems ?? [])]);
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
        : { [status]: { description: 'Success.', content: { [mediaType]: { schema: answer } } } }),
      ...Object.fromEntries(
        [...problems].map((code) => [
          code,
          {
            description: PROBLEM_DESCRIPTIONS[code] ?? 'A problem.',
            content: { 'application/problem+json': { schema: problemReference } },
          },
        ]),
      ),
    },
  };
}

function commonProblems({ access, query, body, params }: RouteDefinition): number[] {
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

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Who may use a route, as a sentence. */
export const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  open: 'for everyone, always',
  everybody: 'for everyone, unless the newsroom is closed to guests',
  person: 'for people who are signed in',
  owner: 'for the owner',
  operator: 'for monitoring and the owner',
};

/** `/api`: the same description as a page without scripts. */
export function apiPageRoute(server: FastifyInstance, describeApi: () => Promise<ApiDocument>): void {
  const config = { access: 'open', rateLimited: false } as const;
  server.get('/api', { config }, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': CONTENT_SECURITY_POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(renderPage(await describeApi())),
  );
  server.get('/api/style.css', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
}

function renderPage(document: ApiDocument): string {
  const sections = operationsByTag(document).map(
    ([group, operations]) =>
      `<section aria-labelledby="${anchorOf(group)}"><h2 id="${anchorOf(group)}">${escapeHtml(group)}</h2>${operations
        .map(renderRoute)
        .join('')}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kawaraban: the API</title>
<link rel="stylesheet" href="/api/style.css">
</head>
<body>
<header><h1>The API</h1>
<p>Everything that the page does, under <code>/api/v1</code>. The same for programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<p>A program sends <code>Authorization: Bearer &lt;token&gt;</code>; make a token with <code>POST /api/v1/tokens</code>. A browser has its session cookie, and sends <code>X-CSRF-Token</code>, from <code>GET /api/v1/session</code>, with every change. Errors are problem details (RFC 9457). Lists come in pages: send the cursor of an answer to get the next one.</p></header>
<main>${sections.join('\n')}</main>
</body>
</html>
`;
}

function renderRoute({ method, url, operation }: ListedOperation): string {
  const parameters = (operation.parameters ?? []).map(
    (each) =>
      `<li><code>${escapeHtml(each.name)}</code>${each.required ? '' : ' (optional)'}${each.description === undefined ? '' : `: ${escapeHtml(each.description)}`}</li>`,
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  return `<article><h3><span class="method">${method}</span> <code>${escapeHtml(url)}</code></h3>
<p>${escapeHtml(operation.summary)} <em>${ACCESS_WORDS[operation['x-access']]}</em></p>
${parameters.length === 0 ? '' : `<ul>${parameters.join('')}</ul>`}
${schema === undefined ? '' : `<details><summary>Body</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`}
<p class="answers">${Object.keys(operation.responses).join(' · ')}</p></article>`;
}

function anchorOf(group: string): string {
  return group.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid; margin-top: 2.5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0; }
p, ul { margin: 0.25rem 0; }
pre { overflow: auto; font-size: 0.85rem; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; }
.answers { font-size: 0.85rem; opacity: 0.8; }
`;
