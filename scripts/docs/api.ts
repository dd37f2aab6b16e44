import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import {
  ACCESS_WORDS,
  type ApiDocument,
  type ListedOperation,
  openApiDocument,
  operationsByTag,
} from '../../src/server/http/api-description.ts';
import type { RegisteredRoute } from '../../src/server/http/route.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';

/** A newsroom in which every route has something to serve. */
const NEWSROOM = `
server: { port: 0 }
stories: { enabled: true }
sources: { a: { feed: "https://example.org/feed.xml" }, hn: { hackernews: new } }
pipelines: { morning: { kind: curate, sources: [a], interests: [{ topic: ships }], enabled: false } }
`;

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: Schema | boolean;
}

/** The reference of the API, from the OpenAPI document of a running newsroom. */
export async function apiReference(): Promise<string> {
  const document = (await openApiDocument(await routesOfANewsroom(), '')) as ApiDocument<Schema>;
  const parts = operationsByTag(document).map(
    ([group, operations]) => `## ${group}\n\n${operations.map(describe).join('\n\n')}`,
  );
  return `# Reference: the API

Generated from the routes, as are \`/api\` and \`/api/v1/openapi.json\` of a running newsroom. Authentication, lists, errors and rate limits:
[The API](../guides/api.md). Live timelines over Server-Sent Events and gRPC: [Timelines](../guides/timelines.md), [gRPC](../guides/grpc.md).

Besides the problems named here every route may answer 429 (too many requests; \`Retry-After\` says when), 500 and 503.

${parts.join('\n\n')}
`;
}

async function routesOfANewsroom(): Promise<readonly RegisteredRoute[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-routes-'));
  try {
    const loaded = parseConfig(NEWSROOM, join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
    try {
      const server = await app.serve(0);
      await server[Symbol.asyncDispose]();
      return server.routes;
    } finally {
      await app[Symbol.asyncDispose]();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const EVERYWHERE = ['429', '500', '503'];

function describe({ method, url, operation }: ListedOperation<Schema>): string {
  const rows = (operation.parameters ?? []).map(
    ({ name, required, description, schema }) =>
      `| \`${name}\` | ${shapeOf(schema)}${required ? '' : ', optional'} | ${cell(description ?? '')} |`,
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const [status = '', good] = Object.entries(operation.responses).find(([code]) => code < '400') ?? [];
  const [kind, answer] = Object.entries(good?.content ?? {})[0] ?? [];
  const problems = Object.keys(operation.responses).filter(
    (code) => code >= '400' && !EVERYWHERE.includes(code),
  );
  return [
    `### \`${method} ${url}\``,
    `${operation.summary} ${sentence(ACCESS_WORDS[operation['x-access']])}`,
    ...(rows.length === 0 ? [] : [['| | | |', '|---|---|---|', ...rows].join('\n')]),
    ...(body === undefined ? [] : [`Body: ${shapeOf(body)}`]),
    `Answers ${status}${answer === undefined || kind === undefined ? '' : kind === 'application/json' ? `: ${shapeOf(answer.schema)}` : ` with ${kind}`}${problems.length === 0 ? '' : `; or ${problems.join(', ')}`}.`,
  ].join('\n\n');
}

/** A schema in one line: \`{ id: string, next: string or null }\`. */
function shapeOf(schema: Schema): string {
  const shape = spell(schema);
  return shape === '' ? 'anything' : `\`${shape}\``;
}

function spell(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(spell))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(spell).join(' and ');
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, one]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${spell(one) || 'anything'}`,
    );
    return `{ ${fields.join(', ')} }`;
  }
  if (schema.items !== undefined) return `list of ${spell(schema.items) || 'anything'}`;
  if (typeof schema.additionalProperties === 'object')
    return `{ [name]: ${spell(schema.additionalProperties) || 'anything'} }`;
  return [schema.type ?? ''].flat().join(' or ');
}

function sentence(words: string): string {
  return `*${words.slice(0, 1).toUpperCase()}${words.slice(1)}.*`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
