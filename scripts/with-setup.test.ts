import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PACKAGES = { 'node_modules/used': { version: '1.0.0' } };
const DEV_PACKAGES = { 'node_modules/vite': { version: '8.0.0', dev: true } };

/** A tree of the project in small, with an npm that records its calls. */
describe('the set-up of a clone', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'with-setup-'));
    write('scripts/with-setup.mjs');
    copyFileSync(join(import.meta.dirname, 'with-setup.mjs'), join(root, 'scripts/with-setup.mjs'));
    write('package-lock.json', JSON.stringify({ packages: { '': {}, ...PACKAGES, ...DEV_PACKAGES } }));
    write('web/vite.config.ts');
    write('entry.mjs', "console.log('running');");
    const page = join(root, 'dist/web/index.html');
    write(
      'bundled/vite.js',
      `require('node:fs').mkdirSync(${JSON.stringify(dirname(page))}, { recursive: true });
require('node:fs').writeFileSync(${JSON.stringify(page)}, 'page');`,
    );
    write('bundled/lock.json', JSON.stringify({ packages: { ...PACKAGES, ...DEV_PACKAGES } }));
    write(
      'path/npm',
      `#!/bin/sh
echo "$1" >> npm-calls
mkdir -p node_modules/vite/bin
cp bundled/vite.js node_modules/vite/bin/vite.js
cp bundled/lock.json node_modules/.package-lock.json
`,
    );
    chmodSync(join(root, 'path/npm'), 0o755);
    mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
    symlinkSync(process.execPath, join(root, 'node_modules/node/bin/node'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, text = ''): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const start = (): string =>
    execFileSync(process.execPath, ['scripts/with-setup.mjs', 'entry.mjs'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: `${join(root, 'path')}:${process.env.PATH}` },
    });
  const npmCalls = (): readonly string[] =>
    existsSync(join(root, 'npm-calls'))
      ? readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n')
      : [];
  const page = (): boolean => existsSync(join(root, 'dist/web/index.html'));

  it('X10 installs what builds the page where npm left it out (`npm ci --omit=dev`), once', () => {
    write('node_modules/.package-lock.json', JSON.stringify({ packages: PACKAGES }));
    expect(start()).toBe('running\n');
    expect(page()).toBe(true);
    expect(npmCalls()).toEqual(['ci']);
    expect(start()).toBe('running\n');
    expect(npmCalls()).toEqual(['ci']);
  });

  it('X10 takes what npm has installed by hand, and builds the page again when it is gone', () => {
    execFileSync(join(root, 'path/npm'), ['ci'], { cwd: root });
    start();
    expect(npmCalls()).toEqual(['ci']);
    rmSync(join(root, 'dist'), { recursive: true });
    start();
    expect(page()).toBe(true);
    expect(npmCalls()).toEqual(['ci']);
  });
});
