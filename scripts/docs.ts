// `npm run docs`: generates the references, the JSON Schema and the dashboard. Tests compare each with the code.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configJsonSchema } from '../src/config/schema/document.ts';
import { ROOT } from './checks.ts';
import { dashboard } from './dashboard.ts';
import { REFERENCES } from './docs/references.ts';

const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;
const files: Readonly<Record<string, () => string | Promise<string>>> = {
  ...REFERENCES,
  'docs/kawaraban.schema.json': () => json(configJsonSchema()),
  'deploy/dashboards/kawaraban.json': () => json(dashboard()),
};
for (const [name, write] of Object.entries(files)) {
  const path = join(ROOT, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await write());
  console.log(`${name} written`);
}

const written = Object.keys(files).filter((name) => name.endsWith('.json'));
const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
spawnSync(process.execPath, [biome, 'format', '--write', ...written], { cwd: ROOT, stdio: 'inherit' });
