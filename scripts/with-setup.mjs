#!/usr/bin/env node
// Runs a program of this project on a fresh machine: installs what is missing, builds the page, and continues in the
// Node that the project brings along. Plain JavaScript that any Node since 16 understands, because it runs first.
//
//   node scripts/with-setup.mjs <entry> [arguments of the entry]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const windows = process.platform === 'win32';
const pinnedNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const [entry, ...args] = process.argv.slice(2);
const program = entry === 'src/cli/main.ts';
const newsroom = program && args[0] === 'start';
const parent = process.ppid;

if (entry === undefined) fail('usage: node scripts/with-setup.mjs <entry> [arguments]');

await installPackages();
buildPage();
goOn();

/** `npm ci`, unless the tree was installed from this very lock file. */
async function installPackages() {
  const wanted = hashOf([join(root, 'package-lock.json')]);
  const stamp = join(root, 'node_modules', '.kawaraban-installed');
  if (readIfThere(stamp) === wanted && existsSync(pinnedNode)) return;
  if (existsSync(pinnedNode) && installedAsLocked()) {
    writeFileSync(stamp, wanted);
    return;
  }
  note('Installing packages (once; about a minute) …');
  const code = await npmCi();
  if (code !== 0) fail('npm ci failed; its output is above. Nothing was started.');
  if (!existsSync(pinnedNode))
    fail('The pinned Node is missing after npm ci. Are install scripts switched off (ignore-scripts)?');
  writeFileSync(stamp, wanted);
}

/** Runs `npm ci` and prints its progress every few seconds; returns its exit code. */
function npmCi() {
  const npm = spawn(windows ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
  });
  const wanted =
    Object.keys(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages).length - 1;
  const started = Date.now();
  const tick = setInterval(
    () => {
      const seconds = Math.round((Date.now() - started) / 1000);
      const line = `Installing packages: ${installedPackages()} of about ${wanted}, ${seconds} s`;
      process.stderr.write(process.stderr.isTTY ? `\r\x1b[2Kkawaraban: ${line} …` : `kawaraban: ${line}\n`);
    },
    process.stderr.isTTY ? 500 : 10_000,
  );
  return new Promise((done) => {
    npm.on('error', (error) => fail(`npm could not be started: ${error.message}`));
    npm.on('exit', (code) => {
      clearInterval(tick);
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
      done(code);
    });
  });
}

function installedPackages() {
  const folder = join(root, 'node_modules');
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return names.reduce(
    (sum, name) => sum + (name.startsWith('@') ? readdirSync(join(folder, name)).length : 1),
    0,
  );
}

/** Whether npm itself, run by hand, has installed exactly what is in the lock file. */
function installedAsLocked() {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  const there = JSON.parse(installed).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (there[path] ? there[path].version === version : optional === true),
  );
}

/** The web page, unless it was built from these very sources. */
function buildPage() {
  const web = join(root, 'web');
  const config = join(web, 'vite.config.ts');
  if (!existsSync(config)) return;
  const wanted = hashOf([...filesBelow(web), join(root, 'package-lock.json')]);
  const stamp = join(root, 'build', '.web-built');
  if (readIfThere(stamp) === wanted && existsSync(join(root, 'dist', 'web', 'index.html'))) return;
  note('Building the page …');
  const vite = spawnSync(
    pinnedNode,
    [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--config', config, '--logLevel', 'warn'],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (vite.status !== 0) fail('The page could not be built; the output of the build is above.');
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(stamp, wanted);
}

/**
 * In the pinned Node, with signals and exit code passed on. The program gets an IPC channel: its end means that this
 * process has died, and a signal sent through it never counts as a second Ctrl-C.
 */
function goOn() {
  const child = spawn(pinnedNode, [resolve(root, entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', ...(program ? ['ipc'] : [])],
    env: { ...settings(), ...process.env, ...(program && { KAWARABAN_WRAPPER: '1' }) },
  });
  let listens = false;
  child.on('message', (message) => {
    listens = message.listens;
  });
  child.on('error', (error) => fail(`The pinned Node could not be started: ${error.message}`));
  const stop = (signal) => {
    if (listens && child.connected) child.send({ stop: signal }, () => {});
    // A terminal sends Ctrl-C to the whole group; a supervisor sends its signal to this process alone.
    else if (program || signal !== 'SIGINT') child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
  whenNpmDies(() => stop('SIGTERM'));
}

/** npm runs this through a shell, and neither forwards the signal that ends it, or can when it is killed. */
function whenNpmDies(stop) {
  if (!(process.env.npm_lifecycle_script || '').includes(entry)) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 250);
  watch.unref();
}

function settings() {
  return {
    // Node's compile cache: the next start is faster and needs less memory.
    NODE_COMPILE_CACHE: join(root, 'build', '.compile-cache'),
    ...(newsroom && { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536' }),
  };
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((found) => {
      const path = join(folder, found.name);
      return found.isDirectory() ? filesBelow(path) : [path];
    });
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths)
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function note(text) {
  process.stderr.write(`kawaraban: ${text}\n`);
}

function fail(text) {
  note(text);
  process.exit(1);
}
