import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderLock } from '../../storage/sqlite/folder-lock.ts';
import { cli } from '../cli.fixture.ts';
import { EXIT } from '../errors.ts';

const EMBEDDED = `
server: { port: 0 }
sources: { a: { feed: https://example.org/feed.xml } }
pipelines: { morning: { kind: curate, sources: [a], interests: [{ topic: databases }] } }
`;

describe('backup, restore and roles on the command line', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-keeping-'));
    writeFileSync(join(folder, 'kawaraban.yaml'), EMBEDDED);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const says = (...words: string[]) => cli(words, { cwd: folder });

  it('X17 X12 a backup is made, described and restored, with the command to undo it', async () => {
    expect((await says('status')).code).toBe(EXIT.ok);
    const made = await says('backup', 'copy');
    expect(made).toMatchObject({
      code: EXIT.ok,
      out: expect.stringMatching(/^\d+ files copied to .*copy and checked \(.* KB\), and the configuration/),
    });
    expect((await says('backup', 'copy')).code).toBe(EXIT.cannotWrite);
    const restored = await says('restore', 'copy');
    expect(restored.code).toBe(EXIT.ok);
    const [, back] = /To undo: kawaraban restore (\S+)/.exec(restored.out) ?? [];
    expect(existsSync(join(back ?? '', 'manifest.json'))).toBe(true);
    expect(restored.err).toContain('check the waiting items');
    expect(JSON.parse((await says('restore', back ?? '', '--json')).out)).toMatchObject({ wayBack: true });
    expect((await says('status')).code).toBe(EXIT.ok);
  });

  it('X17 X12 invalid requests are refused with a sentence and an exit code', async () => {
    await says('status');
    expect(await says('restore', 'nothing-here')).toMatchObject({
      code: EXIT.badData,
      err: expect.stringContaining('is not a backup'),
    });
    await says('backup', 'copy');
    const running = FolderLock.acquire(join(folder, 'data'), 'a newsroom');
    try {
      expect((await says('restore', 'copy')).code).toBe(EXIT.unavailable);
      const second = await says('start');
      expect(second).toMatchObject({ code: EXIT.unavailable, err: expect.stringContaining('is at work on') });
    } finally {
      await running[Symbol.asyncDispose]();
    }
    writeFileSync(join(folder, 'kawaraban.yaml'), `${EMBEDDED}engine: { kind: distributed, project: p }\n`);
    expect(await says('backup', 'other')).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('for the embedded engine'),
    });
    expect(readdirSync(folder)).not.toContain('other');
  });

  it('C24 refuses a single role on the embedded engine, and an unknown role on any', async () => {
    expect(await says('start', '--role', 'worker')).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('only the role `all`'),
    });
    expect(await says('start', '--role', 'web', '--role', 'cook')).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('there is no role `cook`'),
    });
    const byEnvironment = await cli(['start'], { cwd: folder, env: { KAWARABAN_ROLE: 'scheduler' } });
    expect(byEnvironment.code).toBe(EXIT.usage);
  });
});
