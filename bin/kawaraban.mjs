#!/usr/bin/env node
// The version is checked before anything newer than this file is loaded, so that an old Node says one clear line
// instead of a syntax error.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const NODE_MODULES_OF_A_START = [
  'assert',
  'child_process',
  'cluster',
  'crypto',
  'dns',
  'dns/promises',
  'http',
  'https',
  'perf_hooks',
  'readline',
  'sqlite',
  'stream/promises',
  'timers/promises',
  'tls',
  'worker_threads',
  'zlib',
].map((name) => `node:${name}`);

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
  compileWholeModules();
  const folder = cacheFolder();
  if (folder !== null) enableCompileCache(folder);
  await import('../dist/main.js');
}

/** Not in the temporary folder, which others may write to. */
function cacheFolder() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'kawaraban');
  try {
    return join(homedir(), '.cache', 'kawaraban');
  } catch {
    // A user without a home, as in some containers.
    return null;
  }
}

/**
 * Node caches a module as it is before any of its functions was called. With all functions compiled then, a start takes a quarter less
 * processor time. The cache that Node has for its own modules is not valid with this flag, so a start loads them before.
 */
function compileWholeModules() {
  if (process.argv.includes('start'))
    for (const name of NODE_MODULES_OF_A_START) process.getBuiltinModule(name);
  setFlagsFromString('--no-lazy');
}

function withoutExperimentalWarnings() {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}
