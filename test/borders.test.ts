import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const TOOL = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

/** What `npm run check` reports of the borders of src/. */
describe('the borders of src/', { timeout: 120_000 }, () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-borders-'));
    write('tsconfig.json', '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function violations(): readonly string[] {
    const { stdout } = spawnSync(
      process.execPath,
      [TOOL, 'src', '--config', join(ROOT, '.dependency-cruiser.cjs'), '--output-type', 'json'],
      { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } };
    return summary.violations.map(({ rule }) => rule.name).toSorted();
  }

  it.each([
    ['pure', 'src/item/a.ts', '../ledger/b.ts'],
    ['domain-imports-no-adapter', 'src/ledger/a.ts', '../storage/sqlite/b.ts'],
    ['backends-apart', 'src/storage/sqlite/a.ts', '../redis/b.ts'],
    ['storage-is-called', 'src/storage/sqlite/a.ts', '../../server/http/b.ts'],
    ['server-through-ports', 'src/server/http/a.ts', '../../storage/sqlite/b.ts'],
    ['cli-through-app', 'src/cli/a.ts', '../storage/sqlite/b.ts'],
    ['app-wires-only', 'src/app/logic.ts', '../ledger/b.ts'],
    ['simulator-is-for-the-sample', 'src/ledger/a.ts', '../../simulator/b.ts'],
    ['names-say-something', 'src/ledger/a.ts', './utils.ts'],
  ])('%s: %s imports %s', (rule, from, to) => {
    write(from, `import { b } from '${to}';\nexport const a = b;\n`);
    write(join(dirname(from), to), 'export const b = 1;\n');
    expect(violations()).toContain(rule);
  });

  it('modules that load each other are reported; types may refer to each other', () => {
    write('src/ledger/a.ts', "import { b } from './b.ts';\nexport const a = () => b;\n");
    write('src/ledger/b.ts', "import { a } from './a.ts';\nexport const b = () => a;\n");
    expect(violations()).toContain('no-circular');
    write('src/ledger/b.ts', "import type { a } from './a.ts';\nexport const b = (one: typeof a) => one;\n");
    expect(violations()).toEqual([]);
  });

  it('an adapter may import its port, and the wiring may import everything', () => {
    write('src/storage/sqlite/a.ts', "import { b } from '../../ledger/b.ts';\nexport const a = b;\n");
    write('src/ledger/b.ts', 'export const b = 1;\n');
    write('src/app/app.ts', "import { a } from '../storage/sqlite/a.ts';\nexport const app = a;\n");
    expect(violations()).toEqual([]);
  });
});
