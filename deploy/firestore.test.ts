import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FirestoreConnection } from '../src/storage/firestore/connection.ts';
import { allQueries, indexesFile } from '../src/storage/firestore/index-definitions.ts';
import type { QueryForm } from '../src/storage/firestore/query.ts';
import { type CompositeIndex, indexFor } from '../src/storage/firestore/query.ts';
import { silentEvents } from '../src/telemetry/events.ts';
import { systemClock } from '../src/time/clock.ts';
import { emulatorForThisFile, freshProject } from '../test/emulators.ts';
import { requires } from '../test/requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const file = JSON.parse(readFileSync(join(import.meta.dirname, 'firestore.indexes.json'), 'utf8')) as {
  indexes: CompositeIndex[];
  fieldOverrides: { collectionGroup: string; fieldPath: string; indexes: unknown[] }[];
};

const has = (index: CompositeIndex): boolean =>
  file.indexes.some((one) => JSON.stringify(one) === JSON.stringify(index));

describe('the indexes of Firestore', () => {
  const needed = allQueries().flatMap(({ name, form }) => {
    const index = indexFor(form);
    return index === null ? [] : [{ query: name, index }];
  });

  it.each(needed)('X16 $query has its index', ({ index }) => {
    expect(has(index), JSON.stringify(index)).toBe(true);
  });

  it('A15 hold the one for the best of the newest', () => {
    expect(
      has({
        collectionGroup: 'notified_articles',
        queryScope: 'COLLECTION',
        fields: [
          { fieldPath: 'relevance_score', order: 'DESCENDING' },
          { fieldPath: 'notified_at', order: 'DESCENDING' },
        ],
      }),
    ).toBe(true);
  });

  it.each(['prod', 'staging', 'ci', 'dev'])('E6 hold the one of %s-stories', (prefix) => {
    expect(
      has({
        collectionGroup: `${prefix}-stories`,
        queryScope: 'COLLECTION',
        fields: [
          { fieldPath: 'time', order: 'ASCENDING' },
          { fieldPath: 'updated', order: 'ASCENDING' },
        ],
      }),
    ).toBe(true);
  });

  it('X16 are exactly what the queries need, and can be generated for collections with a prefix', () => {
    expect(file).toEqual(indexesFile());
    const { indexes } = indexesFile([{ prefix: 'evening-' }]);
    expect(indexes).toEqual(
      file.indexes.map((index) => ({ ...index, collectionGroup: `evening-${index.collectionGroup}` })),
    );
    const ofOneLayout = indexesFile([{ prefix: 'evening-', layout: 'articles' }]).indexes;
    expect(ofOneLayout).toEqual(indexes.filter(({ collectionGroup }) => /articles/.test(collectionGroup)));
  });

  it('are derived from a query', () => {
    const form = (where: QueryForm['where'], orderBy: QueryForm['orderBy']): QueryForm => ({
      collection: 'c',
      where,
      orderBy,
    });
    expect(indexFor(form([], [['a', 'desc']]))).toBeNull();
    expect(indexFor(form([['a', '<']], [['a', 'asc']]))).toBeNull();
    expect(
      indexFor(
        form(
          [
            ['a', '=='],
            ['b', '=='],
          ],
          [],
        ),
      ),
    ).toBeNull();
    expect(indexFor(form([['a', 'array-contains-any']], []))).toBeNull();
    expect(
      indexFor(
        form(
          [
            ['a', '=='],
            ['b', '<='],
          ],
          [['c', 'desc']],
        ),
      )?.fields,
    ).toEqual([
      { fieldPath: 'a', order: 'ASCENDING' },
      { fieldPath: 'c', order: 'DESCENDING' },
      { fieldPath: 'b', order: 'DESCENDING' },
    ]);
    expect(indexFor(form([['a', 'array-contains']], [['b', 'asc']]))?.fields).toEqual([
      { fieldPath: 'a', arrayConfig: 'CONTAINS' },
      { fieldPath: 'b', order: 'ASCENDING' },
    ]);
  });

  it('exclude the long fields, which no query uses', () => {
    for (const { indexes } of file.fieldOverrides) expect(indexes).toEqual([]);
    expect(file.fieldOverrides.map(({ fieldPath }) => fieldPath)).toContain('ledger.content');
  });
});

requires('gcloud')('the rules of Firestore, loaded into the emulator', () => {
  const emulator = emulatorForThisFile('firestore');

  async function loaded(content: string): Promise<{ project: string; documents: string }> {
    const project = freshProject();
    const answer = await fetch(`http://${emulator.host}/emulator/v1/projects/${project}:securityRules`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rules: { files: [{ name: 'firestore.rules', content }] } }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    const documents = `http://${emulator.host}/v1/projects/${project}/databases/(default)/documents`;
    return { project, documents };
  }

  const write = (documents: string): Promise<Response> =>
    fetch(`${documents}/notified_articles?documentId=b`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fields: { a: { integerValue: '1' } } }),
    });

  it('A15 refuse an unauthenticated reader and writer, while the backend works', async () => {
    const rules = readFileSync(join(import.meta.dirname, 'firestore.rules'), 'utf8');
    const { project, documents } = await loaded(rules);
    const connection = new FirestoreConnection({
      project,
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    });
    const at = ['notified_articles', 'a'] as const;
    expect(await connection.commit([{ do: 'set', at, data: { a: 1 } }])).toBe('committed');
    expect((await connection.get(at)).data()).toEqual({ a: 1 });
    expect((await fetch(`${documents}/notified_articles/a`)).status).toBe(403);
    expect((await fetch(`${documents}/items`)).status).toBe(403);
    expect((await write(documents)).status).toBe(403);
    expect((await connection.get(['notified_articles', 'b'])).exists).toBe(false);
    await connection[Symbol.asyncDispose]();
  });

  it('the same reader and writer pass where the rules let them', async () => {
    const open =
      'service cloud.firestore { match /databases/{d}/documents { match /{all=**} { allow read, write; } } }';
    const { documents } = await loaded(open);
    expect((await write(documents)).status).toBe(200);
    expect((await fetch(`${documents}/notified_articles/b`)).status).toBe(200);
  });
});
