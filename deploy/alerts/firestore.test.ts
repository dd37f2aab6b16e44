import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { requires } from '../../test/requirements.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

requires('promtool')('the alerts on Firestore', () => {
  it('A18 pass promtool check rules', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', join(here, 'firestore.yaml')]);
    expect(stdout).toContain('5 rules found');
  });

  it('A18 D14 fire when they should, and only then', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', join(here, 'firestore.tests.yaml')]);
    expect(stdout).toContain('SUCCESS');
  });

  it('A18 the test of the rules detects a wrong limit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-alerts-'));
    try {
      for (const name of ['firestore.yaml', 'firestore.tests.yaml']) {
        const text = readFileSync(join(here, name), 'utf8');
        writeFileSync(join(folder, name), text.replace('> 40000', '> 400000'));
      }
      await expect(
        run('promtool', ['test', 'rules', join(folder, 'firestore.tests.yaml')]),
      ).rejects.toThrow();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
