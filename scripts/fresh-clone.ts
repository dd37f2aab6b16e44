// `npm run fresh-clone`: the experience of a new user. Clones HEAD into an empty folder, runs `npm start` until the page has
// items, stops it with Ctrl-C, restarts it and checks that it continues where it stopped. Run by hand, and before a
// release; not part of `npm test`, since it installs everything again.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartedNewsroom } from './started-newsroom.ts';

const STOP_MS = 5000;
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'fresh-clone-'));
const clone = join(folder, 'kawaraban');
const data = join(clone, 'data');
const problems: string[] = [];

try {
  execFileSync('git', ['clone', '--quiet', '--no-local', root, clone], { stdio: 'inherit' });
  console.log(
    `Cloned ${execFileSync('git', ['log', '-1', '--format=%h %s'], { cwd: clone, encoding: 'utf8' }).trim()}`,
  );
  const first = await session('First start', 300_000);
  const second = await session('Second start', 30_000);
  if (second < first) problems.push(`the second start shows ${second} drops, the first had ${first}`);
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.log(`✗ ${problem}`);
console.log(problems.length === 0 ? '✓ A fresh clone works.' : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Starts, waits for items, shows the output, stops. Returns how many drops there were. */
async function session(name: string, timeoutMs: number): Promise<number> {
  const newsroom = await StartedNewsroom.start(clone, data);
  try {
    const address = await newsroom.address(timeoutMs);
    const listening = newsroom.age;
    const drops = await newsroom.drops(timeoutMs);
    console.log(
      `\n${name}: ${address} after ${seconds(listening)}, ${drops} drops after ${seconds(newsroom.age)}. It printed:`,
    );
    console.log(newsroom.output.replace(/^/gm, '  │ '));
    const stopped = await newsroom.interrupt(3 * STOP_MS);
    console.log(`Ctrl-C: ended after ${seconds(stopped)}`);
    if (stopped > STOP_MS) problems.push(`it took ${seconds(stopped)} to stop`);
    return drops;
  } finally {
    await newsroom[Symbol.asyncDispose]();
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
