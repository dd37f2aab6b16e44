// `npm run trace`: which promises no test proves yet. `--json` for programs.
import { join } from 'node:path';
import { trace } from './contract-coverage.ts';

const root = join(import.meta.dirname, '..');
const { promises, problems, notes } = trace(root);
const unproved = promises.filter(({ tests }) => tests.length === 0);

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ promises, problems, notes, unproved: unproved.map(({ id }) => id) }));
} else {
  for (const letter of 'ABCDEIQRX') {
    const all = promises.filter(({ id }) => id.startsWith(letter));
    const open = unproved.filter(({ id }) => id.startsWith(letter));
    console.log(`${letter}  ${all.length - open.length} of ${all.length} proved`);
    for (const { id, text, open: why } of open) {
      console.log(`   ${id.padEnd(4)} ${text}`);
      if (why !== null) console.log(`        ${why}`);
    }
  }
  for (const note of notes) console.log(`· ${note}`);
  for (const problem of problems) console.log(`✗ ${problem}`);
}
