import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseFileError } from '../../telemetry/errors.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { readManifest } from './backup.ts';
import { inspectDataFolder, knownSchemaVersion } from './data-folder.ts';
import { RUN_MIGRATIONS } from './run-store.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';
import { hasRoomForCopy, planUpgrade, upgradeDataFolder } from './upgrade.ts';
import { upgradeCopies } from './way-back.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

describe('the upgrade of a data folder', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'kawaraban-upgrade-'));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  /** The first steps of a schema, as an earlier version left the file. */
  function write(name: string, migrations: typeof RUN_MIGRATIONS, schema: number): void {
    rmSync(join(data, name), { force: true });
    const db = new DatabaseSync(join(data, name));
    for (const { sql } of migrations.slice(0, schema)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${schema}`);
    db.close();
  }
  const earlier = (): void => {
    write('runs.db', RUN_MIGRATIONS, 1);
    write('social.db', SOCIAL_MIGRATIONS, 5);
  };
  const upgrade = (now = NOW) => upgradeDataFolder({ data, program: '1.0.0', now, log: silentLogger });
  const schemas = (): Record<string, number | null> =>
    Object.fromEntries(inspectDataFolder(data).map(({ name, schema }) => [name, schema]));
  const schemasIn = async (folder: string): Promise<Record<string, number | null>> =>
    Object.fromEntries((await readManifest(folder)).files.map(({ name, schema }) => [name, schema]));

  it('I14 copies everything, migrates every file, and keeps the copy until the next upgrade', async () => {
    earlier();
    await upgrade();
    const now = { 'runs.db': knownSchemaVersion('runs.db'), 'social.db': knownSchemaVersion('social.db') };
    expect(schemas()).toEqual(now);
    const [first, ...none] = upgradeCopies(data);
    expect(none).toEqual([]);
    expect(await schemasIn(first?.folder ?? '')).toEqual({ 'runs.db': 1, 'social.db': 5 });
    await upgrade(NOW + 1000);
    expect(upgradeCopies(data)).toEqual([first]);

    write('runs.db', RUN_MIGRATIONS, 2);
    await upgrade(NOW + 2000);
    const copies = upgradeCopies(data);
    expect(copies).toHaveLength(1);
    expect(await schemasIn(copies[0]?.folder ?? '')).toEqual({ ...now, 'runs.db': 2 });
    expect(readdirSync(join(data, 'before-upgrade'))).toHaveLength(1);
  });

  it('I14 an upgrade that was cut short goes on with its first copy, unless a backup was restored since', async () => {
    earlier();
    const users = new DatabaseSync(join(data, 'social.db'));
    users.exec('DROP TABLE unannounced');
    users.close();
    await expect(upgrade()).rejects.toThrow(DatabaseFileError);
    expect(schemas()).toMatchObject({ 'runs.db': knownSchemaVersion('runs.db'), 'social.db': 5 });
    write('social.db', SOCIAL_MIGRATIONS, 5);
    await upgrade(NOW + 1000);
    const [kept, ...others] = upgradeCopies(data);
    expect(others).toEqual([]);
    expect(await schemasIn(kept?.folder ?? '')).toEqual({ 'runs.db': 1, 'social.db': 5 });

    // An earlier program restored the copy; it knows nothing of the marker.
    earlier();
    writeFileSync(join(data, 'before-upgrade', 'under-way.txt'), `${kept?.folder.split('/').at(-1)}\n`);
    utimesSync(join(data, 'before-upgrade', 'under-way.txt'), 1000, 1000);
    writeFileSync(join(data, 'restored.json'), '{}');
    await upgrade(NOW + 2000);
    expect(upgradeCopies(data)).toHaveLength(1);
    expect(upgradeCopies(data)[0]?.folder).not.toBe(kept?.folder);
  });

  it('I14 a copy needs room for all data and for the migrations', () => {
    earlier();
    const plan = planUpgrade(data);
    expect(plan.pending.map(({ name }) => name)).toEqual(['runs.db', 'social.db']);
    const bytes = plan.files.reduce((sum, file) => sum + file.bytes, 0);
    expect(plan.spaceNeeded).toBe(2 * bytes);
    expect(hasRoomForCopy(plan)).toBe(true);
    expect(hasRoomForCopy({ ...plan, spaceFree: plan.spaceNeeded - 1 })).toBe(false);
  });

  it('I13 a damaged file is named, and the others are still listed', () => {
    earlier();
    writeFileSync(join(data, 'judges.db'), 'this is a text and certainly no database. '.repeat(40));
    mkdirSync(join(data, 'replaced-2026'));
    const files = inspectDataFolder(data);
    expect(files.map(({ name, problem }) => [name, problem === null])).toEqual([
      ['runs.db', true],
      ['judges.db', false],
      ['social.db', true],
    ]);
    expect(existsSync(join(data, 'judges.db-wal'))).toBe(false);
  });

  it('I13 every migration says in words what it does', () => {
    earlier();
    for (const { about } of planUpgrade(data).pending.flatMap(({ pending }) => pending))
      expect(about).toMatch(/^[A-Z][a-z]+ \w.*[^.]$/);
  });
});
