#!/usr/local/bin/node
// `kawaraban` in the image. There is no shell and no `env` for the program's own first line.
const { existsSync } = require('node:fs');

// A configuration is mounted where KAWARABAN_CONFIG of the image points, with its data in /data; or everything is in
// the volume, which is the working directory. The sample never uses the data of a mounted configuration.
const MOUNTED = '/etc/kawaraban/kawaraban.yaml';
const { env, argv } = process;
if (env.KAWARABAN_CONFIG === MOUNTED && (argv.includes('--sample') || !existsSync(MOUNTED))) {
  delete env.KAWARABAN_CONFIG;
  if (env.KAWARABAN_DATA === '/data') delete env.KAWARABAN_DATA;
}
void import('/usr/lib/kawaraban/bin/kawaraban.mjs');
