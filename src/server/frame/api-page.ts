import type { FastifyInstance } from 'fastify';
import { type ApiDocument, type ListedOperation, operationsByTag } from './open-api.ts';
import type { Access } from './route.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Who may use a route, in words. */
export const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  open: 'for everybody, always',
  everybody: 'for everybody, unless the newsroom is closed to guests',
  person: 'for people who are signed in',
  owner: 'for the owner',
  operator: 'for monitoring and the owner',
};

/** `/api`: the same description for people, without any script. */
export function apiPage(server: FastifyInstance, describeApi: () => Promise<ApiDocument>): void {
  const config = { access: 'open', rateLimited: false } as const;
  server.get('/api', { config }, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page(await describeApi())),
  );
  server.get('/api/style.css', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
}

function page(document: ApiDocument): string {
  const sections = operationsByTag(document).map(
    ([group, operations]) =>
      `<section aria-labelledby="${idOf(group)}"><h2 id="${idOf(group)}">${escaped(group)}</h2>${operations
        .map(routeText)
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

function routeText({ method, url, operation }: ListedOperation): string {
  const parameters = (operation.parameters ?? []).map(
    (each) =>
      `<li><code>${escaped(each.name)}</code>${each.required ? '' : ' (optional)'}${each.description === undefined ? '' : `: ${escaped(each.description)}`}</li>`,
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  return `<article><h3><span class="method">${method}</span> <code>${escaped(url)}</code></h3>
<p>${escaped(operation.summary)} <em>${ACCESS_WORDS[operation['x-access']]}</em></p>
${parameters.length === 0 ? '' : `<ul>${parameters.join('')}</ul>`}
${schema === undefined ? '' : `<details><summary>Body</summary><pre>${escaped(JSON.stringify(schema, null, 2))}</pre></details>`}
<p class="answers">${Object.keys(operation.responses).join(' · ')}</p></article>`;
}

function idOf(group: string): string {
  return group.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

function escaped(text: string): string {
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
