// First module of the single executable. A process that the program forks is the same file, with the module to run as its first
// argument; the path of a module that lies in the executable cannot be mistaken for a command.
import { sep } from 'node:path';

const [, , entry] = process.argv;
if (entry?.startsWith(import.meta.dirname + sep)) {
  process.argv.splice(1, 1);
  await import(entry);
} else await import('./bin/kawaraban.mjs');
