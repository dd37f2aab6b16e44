import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Firestore } from '@google-cloud/firestore';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/cli.fixture.ts';
import { EXIT } from '../../src/cli/errors.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { Program, type ProgramResult } from '../program.ts';
import { requires } from '../requirements.ts';
import { contentOf } from './content-of.ts';

const CONFIG = `
server: { port: 0 }
sources: { a: { feed: https://example.org/feed.xml, every: 1d } }
pipelines: { morning: { kind: curate, sources: [a], interests: [{ topic: databases }] } }
`;

let folder: string;
let data: string;
const running = new Set<Program>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-way-back-'));
  data = join(folder, 'data');
  writeFileSync(join(folder, 'kawaraban.yaml'), CONFIG);
});
afterEach(async () => {
  for (const program of running) await program.kill();
  running.clear();
  rmSync(folder, { recursive: true, force: true });
});

const says = (...words: string[]) => cli(words, { cwd: folder });

function start(...args: string[]): Program {
  const program = new Program(['start', '--json', ...args], {}, folder);
  running.add(program);
  return program;
}

/** Data of 0.1, with this configuration. */
function earlierData(): void {
  mkdirSync(data);
  const testdata = join(import.meta.dirname, 'testdata', '0.1', 'sqlite');
  for (const name of ['social', 'sources', 'runs']) {
    const db = new DatabaseSync(join(data, `${name}.db`));
    db.exec(readFileSync(join(testdata, `${name}.sql`), 'utf8'));
    db.close();
  }
}

/** Makes the data what a newer program would leave. */
function upgradeTo(program: string, ...files: string[]): void {
  for (const name of files) {
    const db = new DatabaseSync(join(data, name));
    db.exec('CREATE TABLE of_the_future (x); PRAGMA user_version = 99');
    db.close();
  }
  writeFileSync(join(data, 'kawaraban.json'), JSON.stringify({ program }));
}

describe('the way back', () => {
  it('I14 data of a newer version is refused at the start, unchanged, with the way back', async () => {
    await says('status');
    upgradeTo('7.1.0', 'social.db', 'reader.db');
    const before = contentOf(data);
    const started: ProgramResult = await new Program(['start'], {}, folder).ended;
    expect(started.code).toBe(EXIT.badData);
    expect(started.err.trimEnd().split('\n')).toHaveLength(1);
    for (const words of [
      'data of a newer version (7.1.0)',
      'social.db has schema 99, and this program knows',
      'reader.db has schema 99',
      'Nothing was changed',
      'npm i -g kawaraban@7.1.0',
      'kawaraban restore <folder>',
    ])
      expect(started.err).toContain(words);
    for (const command of [['status'], ['sources', 'list']])
      expect(await says(...command)).toMatchObject({
        code: EXIT.badData,
        err: expect.stringContaining('7.1.0'),
      });
    const checked = await says('upgrade-check');
    expect(checked.code).toBe(EXIT.badData);
    expect(checked.out).toContain('npm i -g kawaraban@7.1.0');
    expect(checked.out).toContain('This version would not start');
    const { 'newsroom.lock': _, ...after } = named(contentOf(data));
    expect(after).toEqual(named(before));
  });

  it('I14 the command that the refusal names leads back to the data from before the upgrade', async () => {
    earlierData();
    const list = await says('sources', 'list', '--json');
    expect(list.code, list.err).toBe(EXIT.ok);
    await says('status');
    upgradeTo('7.1.0', 'social.db');
    const refused = await says('status');
    const [, copy = ''] = /\(kawaraban restore ([^)]+)\)/.exec(refused.err) ?? [];
    expect(copy).toContain(join(data, 'before-upgrade'));
    const restored = await says('restore', copy);
    expect(restored.code, restored.err).toBe(EXIT.ok);
    const people = await says('users', 'list', '--json');
    expect(people.code, people.err).toBe(EXIT.ok);
    expect(people.out).toContain('hana');
  });

  it('I13 names a running newsroom, and nothing is migrated under it', async () => {
    await says('status');
    const program = start();
    await program.waitForOutput(/"started":true/);
    const checked = JSON.parse((await says('upgrade-check', '--json')).out);
    expect(checked.data.inUseBy).toContain(`(process ${program.child.pid} on `);
    // As if the newsroom were of an earlier version.
    const db = new DatabaseSync(join(data, 'social.db'));
    db.exec('PRAGMA user_version = 6');
    db.close();
    const status = await says('status');
    expect(status).toMatchObject({
      code: EXIT.unavailable,
      err: expect.stringContaining('stop that one first'),
    });
    expect(JSON.parse((await says('upgrade-check', '--json')).out).outcome).toBe('changes');
  });

  it('I13 changes no byte of data that a crash left with its logs', async () => {
    const program = start();
    await program.waitForOutput(/"started":true/);
    await program.kill();
    expect(readdirSync(data).some((name) => name.endsWith('.db-wal'))).toBe(true);
    const before = contentOf(data);
    const asLeft = await says('upgrade-check', '--json');
    expect(JSON.parse(asLeft.out)).toMatchObject({
      outcome: 'nothing',
      data: { inUseBy: null, refused: null },
    });
    expect(asLeft.code).toBe(EXIT.ok);
    expect(contentOf(data)).toEqual(before);
    // Copied without the index of the log.
    for (const name of readdirSync(data).filter((each) => each.endsWith('-shm'))) rmSync(join(data, name));
    const without = contentOf(data);
    expect(JSON.parse((await says('upgrade-check', '--json')).out).outcome).toBe('nothing');
    expect(contentOf(data)).toEqual(without);
  });

  it('I13 names every problem that this version has with the configuration', async () => {
    writeFileSync(join(folder, 'kawaraban.yaml'), `${CONFIG}servr: 1\nstoris: 2\n`);
    const checked = await says('upgrade-check');
    expect(checked.code).toBe(EXIT.badConfig);
    expect(checked.out).toContain('unknown key `servr`');
    expect(checked.out).toContain('unknown key `storis`');
    expect(readdirSync(folder)).toEqual(['kawaraban.yaml']);
  });
});

requires('gcloud')('the way back on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  it('I14 data of a newer version is refused with the way back, and the program records itself', async () => {
    const project = freshProject();
    const engine = `{ kind: distributed, project: ${project}, firestore: { emulator: "${emulator.host}" } }`;
    writeFileSync(
      join(folder, 'kawaraban.yaml'),
      `${CONFIG}engine: ${engine}\ntimelines: { store: memory }\n`,
    );
    const db = new Firestore({ projectId: project, host: emulator.host, ssl: false });
    try {
      expect((await says('status')).code).toBe(EXIT.ok);
      const record = db.doc('program/data');
      expect((await record.get()).data()).toEqual({ format: 1, program: expect.stringMatching(/^\d+\.\d+/) });
      expect((await says('upgrade-check')).code).toBe(EXIT.ok);
      await record.set({ format: 2, program: '7.1.0' });
      for (const command of [['status'], ['upgrade-check']]) {
        const refused = await says(...command);
        expect(refused.code).toBe(EXIT.badData);
        expect(refused.out + refused.err).toMatch(/newer version \(7\.1\.0\).*npm i -g kawaraban@7\.1\.0/);
      }
      expect((await record.get()).data()).toEqual({ format: 2, program: '7.1.0' });
    } finally {
      await db.terminate();
    }
  });
});

function named(content: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([path, hash]) => [path.slice(data.length + 1), hash]),
  );
}
