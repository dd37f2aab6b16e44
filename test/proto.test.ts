import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requires } from './requirements.ts';

const ROOT = join(import.meta.dirname, '..');
const GENERATED = join(ROOT, 'proto', 'gen');

requires('buf')('the proto files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-proto-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('pass buf lint and buf format', () => {
    expect(buf('lint')).toBe('');
    expect(buf('format', '--diff', '--exit-code')).toBe('');
  });

  it('C4 generating the code again changes nothing', () => {
    buf('generate', '--output', folder);
    buf('build', '--exclude-source-info', '-o', join(folder, 'proto', 'gen', 'avion.binpb'));
    const again = filesIn(join(folder, 'proto', 'gen'));
    expect([...again.keys()].toSorted()).toEqual([
      'avion.binpb',
      'avion/post.ts',
      'avion/timeline.ts',
      'avion/user.ts',
    ]);
    expect(again).toEqual(filesIn(GENERATED));
  });
});

function buf(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(join(ROOT, 'node_modules/.bin/buf'), args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}` },
  });
  const output = `${error?.message ?? ''}${stdout}${stderr}`;
  if (status !== 0) throw new Error(`buf ${args[0]}: ${output}`);
  return output;
}

function filesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'base64')];
    }),
  );
}
