import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RECIPES } from '../../src/cli/recipes.ts';
import { Program } from '../program.ts';
import { type Installation, IS_RELEASE_CHECK, install, nodeOf, readJson } from './installed.ts';

/** What a person notices: the download. */
const MAX_TARBALL_BYTES = 10e6;

const root = join(import.meta.dirname, '../..');
let installed: Installation;
beforeAll(async () => {
  installed = await install();
}, 600_000);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true }));

describe('the npm package', () => {
  it('I1 holds compiled modules, the page, recipes, prompts, word frequencies, README and licence, and nothing else', () => {
    const names = execFileSync('tar', ['tzf', installed.tarball], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((name) => name.replace(/^package\//, ''));
    const kinds = new Set(
      names.map((name) =>
        name
          .replace(/^(dist|dist\/chunks|dist\/web)\/[^/]+\.js(\.map)?$/, '$1/*.js')
          .replace(/^dist\/web\/.+/, 'dist/web/*')
          .replace(/^dist\/types\/.+\.d\.ts$/, 'dist/types/*.d.ts')
          .replace(/^(recipes|prompts|word-frequency|node_modules\/pdfjs-dist)\/.+/, '$1/*'),
      ),
    );
    expect([...kinds].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/kawaraban.mjs',
      'dist/*.js',
      'dist/LICENSES.txt',
      'dist/chunks/*.js',
      'dist/types/*.d.ts',
      'dist/web/*',
      'docs/kawaraban.schema.json',
      'node_modules/pdfjs-dist/*',
      'package.json',
      'prompts/*',
      'proto/gen/avion.binpb',
      'recipes/*',
      'word-frequency/*',
    ]);
    for (const folder of ['recipes', 'prompts', 'word-frequency'])
      expect(
        names
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) => name.split('/')[1])
          .toSorted(),
      ).toEqual(readdirSync(join(root, folder)).toSorted());
    expect(names).toContain('dist/main.js.map');
    expect(names).toContain('dist/web/index.html');
    expect(statSync(installed.tarball).size).toBeLessThan(MAX_TARBALL_BYTES);
  });

  it('I1 brings everything along: npm installs one package, and runs no script', () => {
    const published = readJson<Record<string, unknown>>(
      join(installed.folder, 'node_modules/kawaraban/package.json'),
    );
    expect(published).toMatchObject({
      name: 'kawaraban',
      bin: { kawaraban: 'bin/kawaraban.mjs' },
      engines: { node: '>=22.18' },
      bundleDependencies: ['pdfjs-dist'],
    });
    for (const key of ['scripts', 'devDependencies', 'private', 'overrides'])
      expect(published).not.toHaveProperty(key);
    expect(Object.keys(published.dependencies as object)).toEqual(['pdfjs-dist']);
    const folders = (path: string) =>
      readdirSync(join(installed.folder, path)).filter((name) => name !== '.bin');
    expect(folders('node_modules')).toEqual(['.package-lock.json', 'kawaraban']);
    expect(folders('node_modules/kawaraban/node_modules')).toEqual(['pdfjs-dist']);
    expect(folders('node_modules/kawaraban/node_modules/pdfjs-dist/node_modules')).toEqual(['@napi-rs']);
    const licences = readFileSync(join(installed.folder, 'node_modules/kawaraban/dist/LICENSES.txt'), 'utf8');
    for (const name of ['fastify', 'zod', '@google-cloud/firestore', 'redis'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(licences).not.toMatch(/^(node|typescript|vite|vitest|rolldown|preact) \d/m);
  });

  it('I1 refuses an older Node with one readable line', () => {
    const old = join(installed.folder, 'old-node.mjs');
    writeFileSync(
      old,
      `Object.defineProperty(process.versions, 'node', { value: '20.11.0' });\nawait import(${JSON.stringify(installed.program)});\n`,
    );
    const { status, stderr } = spawnSync(process.execPath, [old, 'status'], { encoding: 'utf8' });
    expect(status).toBe(78);
    expect(stderr).toMatch(/^kawaraban needs Node 22\.18 or newer, and this is 20\.11\.0\..*\n$/);
  });
});

describe.each(IS_RELEASE_CHECK ? [22, 24, 26] : [24])('installed, on Node %i', (major) => {
  let node: string;
  let folder: string;
  beforeAll(async () => {
    node = await nodeOf(major);
  }, 600_000);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-user-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    HOME: folder,
    KAWARABAN_PORT: '0',
    KAWARABAN_SIMULATOR_PORT: '0',
    ...more,
  });
  const start = (args: readonly string[], env?: NodeJS.ProcessEnv): Program => {
    const program = new Program(args, environment(env), folder, { node, program: installed.program });
    onTestFinished(() => program.kill());
    return program;
  };
  const result = (args: readonly string[], env?: NodeJS.ProcessEnv) => start(args, env).ended;
  const stop = async (program: Program) => {
    program.child.kill('SIGTERM');
    return program.ended;
  };
  const started = async (program: Program): Promise<{ url: string }> =>
    JSON.parse((await program.waitForOutput(/^\{.*"started":true.*\}$/m))[0]) as { url: string };

  it('I2 shows the page with items, and reports its status', async () => {
    expect((await result(['--version'])).out).toBe(
      `${readJson<{ version: string }>(join(root, 'package.json')).version}\n`,
    );
    const newsroom = start(['start', '--json']);
    const { url } = await started(newsroom);
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(new URL(script, url))).headers.get('content-type')).toContain('javascript');
    await expect
      .poll(async () => {
        const answer = await fetch(`${url}/api/v1/timelines/local`);
        return ((await answer.json()) as { drops: unknown[] }).drops.length;
      })
      .toBeGreaterThan(0);
    const status = await result(['status', '--json']);
    expect(status.code, status.err).toBe(0);
    const report = JSON.parse(status.out) as { pipelines: { id: string }[]; sources: unknown[] };
    expect(report.pipelines.length).toBeGreaterThan(0);
    expect(report.sources.length).toBeGreaterThan(0);
    const ended = await stop(newsroom);
    expect(ended.code, ended.err).toBe(0);
    expect(ended.err + status.err).not.toMatch(/Warning|Error/);
  });

  it('I2 writes and runs each recipe', async () => {
    const simulator = start(['simulator', '--json']);
    const { urls } = JSON.parse((await simulator.waitForOutput(/^\{.*"started":true.*\}$/m))[0]) as {
      urls: { control: string };
    };
    const KAWARABAN_SIMULATOR_PORT = new URL(urls.control).port;
    for (const { name } of RECIPES) {
      const home = join(folder, name);
      mkdirSync(home);
      const env = environment({ KAWARABAN_SIMULATOR_PORT });
      const at = { node, program: installed.program };
      const made = await new Program(['init', '--recipe', name, '--simulator'], env, home, at).ended;
      expect(made.code, `${name}: ${made.err}`).toBe(0);
      const checked = await new Program(['config', 'check'], env, home, at).ended;
      expect(checked.code, `${name}: ${checked.err}`).toBe(0);
      const newsroom = new Program(['start', '--json'], env, home, at);
      onTestFinished(() => newsroom.kill());
      const { url } = await started(newsroom);
      expect((await fetch(`${url}/readyz`)).status, name).toBe(200);
      const ended = await stop(newsroom);
      expect(ended.code, `${name}: ${ended.err}`).toBe(0);
    }
  });
});
