// Writes docs/kawaraban.schema.json, by which editors complete kawaraban.yaml. A test compares the file with the code.
import { mkdirSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/config/json-schema.ts';

const target = new URL('../docs/kawaraban.schema.json', import.meta.url);
mkdirSync(new URL('.', target), { recursive: true });
writeFileSync(target, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
process.stderr.write('docs/kawaraban.schema.json written\n');
