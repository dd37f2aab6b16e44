import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseFileError } from '../../telemetry/errors.ts';
import { type Migration, NewerSchemaError, openDatabase, transaction } from './database.ts';

const STEPS = [
  { version: 1, about: 'Creates a', sql: 'CREATE TABLE a (x INTEGER)' },
  { version: 2, about: 'Adds y', sql: 'ALTER TABLE a ADD COLUMN y TEXT' },
];

describe('openDatabase', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-db-'));
    file = join(folder, 'deep', 'a.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (steps: readonly Migration[] = STEPS) =>
    openDatabase(file, { name: 'the test file', migrations: steps });

  it('X17 migrates every earlier version to the newest and keeps its data', () => {
    const first = open(STEPS.slice(0, 1));
    first.exec('INSERT INTO a VALUES (1)');
    first.close();
    const second = open();
    expect(second.prepare('SELECT x, y FROM a').get()).toEqual({ x: 1, y: null });
    second.close();
  });

  it('X17 refuses a newer schema, with advice', () => {
    open().close();
    expect(() => open(STEPS.slice(0, 1))).toThrow(NewerSchemaError);
    expect(() => open(STEPS.slice(0, 1))).toThrow(
      /a\.db has schema 2, and this program knows 1\. Nothing was changed\. Either install the newer version again, or restore/,
    );
  });

  it('X17 rolls back a migration step that fails', () => {
    open(STEPS.slice(0, 1)).close();
    const broken = [
      ...STEPS.slice(0, 1),
      { version: 2, about: 'Fails', sql: 'CREATE TABLE b (x); NONSENSE' },
    ];
    expect(() => open(broken)).toThrow(DatabaseFileError);
    const db = open();
    expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'b'").get()).toEqual({ n: 0 });
    db.close();
  });

  it('X17 a referenced table is rebuilt without cascading, and a rebuild that violates a foreign key is rolled back', () => {
    const steps = [
      {
        version: 1,
        about: 'Creates a and b',
        sql: `CREATE TABLE a (x INTEGER PRIMARY KEY); INSERT INTO a VALUES (1), (2);
          CREATE TABLE b (x INTEGER REFERENCES a (x) ON DELETE CASCADE); INSERT INTO b VALUES (1), (2)`,
      },
    ];
    const rebuilding = (which: string) => ({
      version: 2,
      about: 'Rebuilds a',
      rebuilds: true,
      sql: `CREATE TABLE c (x INTEGER PRIMARY KEY, y TEXT); INSERT INTO c (x) SELECT x FROM a WHERE ${which};
        DROP TABLE a; ALTER TABLE c RENAME TO a`,
    });
    open(steps).close();
    expect(() => open([...steps, rebuilding('x = 1')])).toThrow(
      /a row of b refers to a row of a that is not there/,
    );
    expect(() => open(steps).close()).not.toThrow();
    const db = open([...steps, rebuilding('true')]);
    expect(db.prepare('SELECT x FROM b').all()).toEqual([{ x: 1 }, { x: 2 }]);
    expect(db.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    db.close();
  });

  it('reports a file that is no database', () => {
    file = join(folder, 'plain.db');
    writeFileSync(file, 'this is a text of some length that is certainly no database, repeated. '.repeat(20));
    expect(() => open()).toThrow(/the test file \(.*plain\.db\) cannot be opened: file is not a database/);
  });

  it('rolls a failed transaction back', () => {
    const db = open();
    expect(() =>
      transaction(db, () => {
        db.exec('INSERT INTO a VALUES (1, NULL)');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(db.prepare('SELECT count(*) AS n FROM a').get()).toEqual({ n: 0 });
    db.close();
  });
});
