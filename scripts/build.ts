// Compiles the program into `dist/`, as it is published: `npm run build`. The page is in `dist/web`, built by Vite before this.
import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from './compile.ts';

const dist = join(import.meta.dirname, '..', 'dist');

for (const name of await readdir(dist).catch(() => []))
  if (name !== 'web') rmSync(join(dist, name), { recursive: true });
await compile({ dir: dist });
