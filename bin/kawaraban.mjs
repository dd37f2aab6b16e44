#!/usr/bin/env node
// The version is checked before anything newer than this file is loaded, so that an old Node says one clear line
// instead of a syntax error.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `kawaraban needs Node 22.18 or newer, and this is ${process.versions.node}. Install a newer Node; a clone of the project brings its own with "npm start".\n`,
  );
  process.exit(78);
}

// The published package has no sources; a clone runs them as they are.
const source = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(source)) await import(source.href);
else {
  const { enableCompileCache } = await import('node:module');
  // Node 22 calls its SQLite experimental; a person who runs a program need not hear of it.
  if (major < 24) withoutExperimentalWarnings();
  // Not in the temporary folder, which others may write to.
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE || join(cache, 'kawaraban'));
  await import('../dist/main.js');
}

function withoutExperimentalWarnings() {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}
