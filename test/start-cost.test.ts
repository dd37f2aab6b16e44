import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { countDrops } from '../scripts/started-newsroom.ts';
import { Program } from './program.ts';

it('a start loads neither the fetch client of Node nor a thread, which take a quarter of the idle memory', async () => {
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
  expect(modules.filter((name) => /undici/.test(name))).toEqual([]);
  expect(threads).toBe(0);
});
