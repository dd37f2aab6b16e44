import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countDrops } from '../scripts/started-newsroom.ts';
import { Program } from './program.ts';

it('a start loads no thread and none of the large modules of Node that it can do without', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-start-'));
  const list = join(folder, 'loaded.json');
  const onExit = `import { writeFileSync } from 'node:fs';
let threads = 0;
process.on('worker', () => { threads += 1; });
if (process.argv[2] === 'start')
  process.on('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify({ threads, modules: process.moduleLoadList })));`;
  const program = new Program(
    ['start', '--json'],
    {
      KAWARABAN_PORT: '0',
      KAWARABAN_SIMULATOR_PORT: '0',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onExit)}`,
    },
    folder,
  );
  onTestFinished(async () => {
    await program.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const [, url = ''] = await program.waitForOutput(/"url":"(http[^"]+)"/);
  await expect.poll(() => countDrops(url)).toBeGreaterThan(0);
  program.child.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  const { threads, modules } = JSON.parse(readFileSync(list, 'utf8')) as {
    threads: number;
    modules: string[];
  };
  expect(modules.filter((name) => /undici|http2|webcrypto/.test(name))).toEqual([]);
  expect(threads).toBe(0);
});

describe('the compiled program', () => {
  const chunks = join(import.meta.dirname, '..', 'dist', 'chunks');

  it('has sources of one byte for each character, which take half of the memory', () => {
    const wide = readdirSync(chunks).filter(
      (name) => name.endsWith('.js') && /[^\0-\x7f]/.test(readFileSync(join(chunks, name), 'utf8')),
    );
    expect(wide).toEqual([]);
  });

  it('is loaded in few files, and not by its threads and other processes', () => {
    const program = importedBy(join(chunks, '..', 'main.js'));
    expect(program.length).toBeLessThan(20);
    expect(program.filter((name) => name.startsWith('program-'))).toHaveLength(1);
    const entries = readdirSync(chunks).filter((name) =>
      /^(thread-entry|process-entry|checkpointer-thread|.*-task)-.*\.js$/.test(name),
    );
    expect(entries).toHaveLength(5);
    for (const entry of entries)
      expect(
        importedBy(join(chunks, entry)).filter((name) => /^(program|app|embedded|serve)-/.test(name)),
      ).toEqual([]);
  });

  it('has source maps that find what follows an escaped character in its line', () => {
    const names = readdirSync(chunks).filter((name) => /^program-.*\.js$/.test(name));
    const found = names.flatMap((name) => {
      const map = new TraceMap(readFileSync(join(chunks, `${name}.map`), 'utf8'));
      return functionsAfterEscape(readFileSync(join(chunks, name), 'utf8')).flatMap(
        ({ called, ...place }) => {
          const { source, line } = originalPositionFor(map, place);
          // Sources of packages are not in the map.
          const content = sourceContentFor(map, source ?? '');
          return content === null ? [] : [{ called, written: content.split('\n')[(line ?? 0) - 1] }];
        },
      );
    });
    expect(found.length).toBeGreaterThan(20);
    for (const { called, written } of found) expect(written).toContain(called);
  });
});

function functionsAfterEscape(code: string): { line: number; column: number; called: string }[] {
  return code.split('\n').flatMap((text, n) => {
    const first = text.indexOf('\\u');
    if (first === -1) return [];
    return [...text.matchAll(/\bfunction (\w{6,})\(/g)]
      .filter(({ index }) => index > first)
      .map(({ index, 1: called = '' }) => ({ line: n + 1, column: index + 'function '.length, called }));
  });
}

/** Names of the files that are loaded with a file, itself included. */
function importedBy(file: string, found = new Set<string>()): readonly string[] {
  if (found.has(file)) return [];
  found.add(file);
  for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom|\bimport) ?["'](\.{1,2}\/[^"']+\.js)["']/g,
  ))
    importedBy(join(dirname(file), imported), found);
  return [...found].map((path) => basename(path));
}
