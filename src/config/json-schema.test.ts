import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from './schema/document.ts';

type Json = { readonly [key: string]: unknown };

describe('the JSON Schema', () => {
  it('X11 docs/kawaraban.schema.json is what `npm run docs` writes', () => {
    const file = new URL('../../docs/kawaraban.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it('X11 every setting has a description, which editors show', () => {
    expect(undescribed(configJsonSchema() as Json, '')).toEqual([]);
  });

  it('X11 keys in the file are snake_case', () => {
    expect(
      settings(configJsonSchema() as Json, '').filter((path) => !/^[a-z0-9_.[\]*|]+$/.test(path)),
    ).toEqual([]);
  });
});

/** Paths of all settings; `*` stands for an ID. */
function settings(schema: Json, path: string): string[] {
  return walk(schema, path).map(([found]) => found);
}

function undescribed(schema: Json, path: string): string[] {
  return walk(schema, path).flatMap(([found, setting]) => (setting.description === undefined ? [found] : []));
}

function walk(schema: Json, path: string): [string, Json][] {
  const found: [string, Json][] = [];
  for (const [key, setting] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
    const here = path === '' ? key : `${path}.${key}`;
    found.push([here, setting], ...walk(setting, here));
  }
  for (const form of (schema.anyOf ?? []) as Json[]) found.push(...walk(form, path));
  for (const below of ['additionalProperties', 'items'])
    if (typeof schema[below] === 'object') found.push(...walk(schema[below] as Json, `${path}.*`));
  return found;
}
