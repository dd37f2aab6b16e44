import { execFile } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { build as buildProgram } from '../../scripts/package/program.ts';
import { countDrops } from '../../scripts/started-newsroom.ts';
import { parseConfig } from '../../src/config/config.ts';
import { BASE_TIMEOUT_MS, debianBase } from '../../test/release/debian-system.ts';
import { requires } from '../../test/requirements.ts';
import { Container, type ImageSettings } from './container.fixture.ts';

const root = join(import.meta.dirname, '../..');
const file = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const stages = file.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
const last = stages.at(-1) ?? '';
/** It has 164 MB. */
const MAX_BYTES = 180e6;
const USER = 10001;

const words = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^ *${instruction} (\\[.*\\])$`, 'm').exec(last)?.[1] ?? '[]') as string[];
const written: ImageSettings = {
  env: Object.fromEntries(
    (/^ENV (.*)$/m.exec(last)?.[1] ?? '')
      .trim()
      .split(/\s+/)
      .map((setting) => [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)]),
  ),
  entrypoint: words('ENTRYPOINT'),
  command: words('CMD'),
  user: /^USER (.*)$/m.exec(last)?.[1] ?? '',
  folder: /^WORKDIR (.*)$/m.exec(last)?.[1] ?? '',
};
const healthCheck = JSON.parse(/HEALTHCHECK .* CMD (\[.*\])$/m.exec(last)?.[1] ?? '[]') as string[];

describe('the container image', () => {
  it('I7 X16 is built in stages, runs as an unprivileged user with one volume, and has a health check', () => {
    expect(stages.length).toBeGreaterThan(1);
    expect(written.user).toBe(`${USER}:${USER}`);
    expect(written.folder).toBe('/data');
    expect(last.match(/^VOLUME .*$/gm)).toEqual(['VOLUME /data']);
    expect(healthCheck[0]).toBe('node');
    expect(last).not.toMatch(/^RUN /m);
    for (const label of ['title', 'description', 'licenses', 'version', 'revision'])
      expect(last).toContain(`org.opencontainers.image.${label}=`);
  });

  it('X15 X16 lets a Prometheus in the same cluster or compose project read the metrics', () => {
    const text = readFileSync(join(root, 'deploy/kubernetes/overlays/single/kawaraban.yaml'), 'utf8');
    const { KAWARABAN_METRICS_FROM } = written.env;
    const loaded = parseConfig(text, 'kawaraban.yaml', { KAWARABAN_METRICS_FROM });
    const networks = loaded.ok ? loaded.config.telemetry.metricsFrom : [];
    expect(networks).toEqual(
      expect.arrayContaining([
        '127.0.0.0/8',
        '::1',
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        'fc00::/7',
      ]),
    );
  });

  it('I7 X16 its build has every script that it runs', () => {
    const given = readFileSync(join(import.meta.dirname, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    const folder = join(root, 'scripts');
    const needed = importedBy(join(folder, 'package/program.ts'), folder).map((path) => relative(root, path));
    expect(needed).toContain('scripts/compile.ts');
    const missing = [...needed, 'scripts/package.ts'].filter(
      (path) => !given.some((line) => line === `!${path}` || path.startsWith(`${line.slice(1)}/`)),
    );
    expect(missing).toEqual([]);
  });

  it('X16 is built from files that exist', () => {
    const allowed = readFileSync(join(import.meta.dirname, 'Dockerfile.dockerignore'), 'utf8');
    for (const [, path = ''] of allowed.matchAll(/^!(.*)$/gm))
      expect(existsSync(join(root, path)), path).toBe(true);
  });
});

requires('mount')('the files of the image, put together without a builder', () => {
  runsAsAContainer(async (folder) => {
    const image = join(folder, 'image');
    await buildProgram(join(image, 'usr/lib/kawaraban'));
    await promisify(execFile)('sh', [join(import.meta.dirname, 'root-files.sh'), image, process.execPath]);
    return { image, settings: written };
  });
});

requires(
  'mount',
  'debian-system',
  'buildah',
  'release-check',
)('the image as buildah builds it', () => {
  runsAsAContainer(async (folder) => {
    const base = join(folder, 'base');
    await makeBase(base);
    const storage = [
      '--storage-driver=vfs',
      `--root=${join(folder, 'storage')}`,
      `--runroot=${join(folder, 'run')}`,
    ];
    const buildah = async (...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)('buildah', [...storage, ...args], {
        cwd: root,
        maxBuffer: 64e6,
        env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      });
      return stdout.trim();
    };
    const empty = await buildah('from', 'scratch');
    await buildah('add', '--quiet', empty, base, '/');
    await buildah('commit', '--quiet', '--rm', empty, 'localhost/base');
    rmSync(base, { recursive: true });
    await buildah(
      'build',
      ...['--quiet', '--layers=false', '--pull-never', '--format=docker', '--tag=localhost/kawaraban'],
      ...[
        '--build-arg=BASE=localhost/base',
        '--build-arg=NPM_OPTIONS=--offline',
        '--build-arg=VERSION=1.2.3',
      ],
      `--volume=${join(homedir(), '.npm')}:/root/.npm`,
      '--file=deploy/container/Dockerfile',
      `--ignorefile=deploy/container/Dockerfile.dockerignore`,
      '.',
    );
    const { Docker } = JSON.parse(await buildah('inspect', '--type=image', 'localhost/kawaraban')) as {
      Docker: { config: BuiltConfig };
    };
    const { config } = Docker;
    expect(config.Labels).toMatchObject({ 'org.opencontainers.image.version': '1.2.3' });
    expect(config.Volumes).toEqual({ '/data': {} });
    expect(config.Healthcheck.Test).toEqual(['CMD', ...healthCheck]);
    const made = await buildah('from', '--pull-never', 'localhost/kawaraban');
    return {
      image: await buildah('mount', made),
      settings: {
        env: Object.fromEntries(
          config.Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
        ),
        entrypoint: config.Entrypoint,
        command: config.Cmd,
        user: config.User,
        folder: config.WorkingDir,
      },
    };
  });
});

interface BuiltConfig {
  readonly Env: string[];
  readonly Entrypoint: string[];
  readonly Cmd: string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Labels: Record<string, string>;
  readonly Volumes: Record<string, object>;
  readonly Healthcheck: { readonly Test: string[] };
}

/** In the place of node:24-bookworm-slim, which no registry gives the tests: a minimal Debian with Node and npm. */
async function makeBase(folder: string): Promise<void> {
  mkdirSync(folder);
  await promisify(execFile)('tar', ['--numeric-owner', '-xf', await debianBase(), '-C', folder]);
  const { stdout } = await promisify(execFile)('npm', ['root', '--global']);
  copyFileSync(process.execPath, join(folder, 'usr/local/bin/node'));
  await promisify(execFile)('cp', ['-r', join(stdout.trim(), 'npm'), join(folder, 'usr/local/lib/npm')]);
  await promisify(execFile)('ln', ['-s', '../lib/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm')]);
}

function runsAsAContainer(
  make: (folder: string) => Promise<{ image: string; settings: ImageSettings }>,
): void {
  let folder: string;
  let image: string;
  let settings: ImageSettings;
  let data: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-image-'));
    ({ image, settings } = await make(folder));
  }, BASE_TIMEOUT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    data = join(folder, 'volume');
    mkdirSync(data);
    chownSync(data, USER, USER);
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  async function run(...command: string[]): Promise<{ container: Container; url: string; port: number }> {
    // The health check asks at a port that is set, and another program may take a free one meanwhile.
    for (let attempt = 1; ; attempt++) {
      const started = await start(command);
      if (started !== null) return started;
      if (attempt === 5) throw new Error('Every port was in use');
    }
  }

  /** `null` if its port is in use. */
  async function start(command: readonly string[]) {
    const port = await freePort();
    const env = { KAWARABAN_HOST: '127.0.0.1', KAWARABAN_PORT: String(port), KAWARABAN_SIMULATOR_PORT: '0' };
    const container = new Container(image, data, settings, {
      env,
      ...(command.length > 0 && { arguments: [...command] }),
    });
    onTestFinished(() => container[Symbol.asyncDispose]());
    const url = `http://127.0.0.1:${port}`;
    const state = async (): Promise<number | string> =>
      container.isRunning
        ? fetch(`${url}/readyz`).then(
            ({ status }) => status,
            () => 0,
          )
        : `It ended: ${container.out}${container.err}`;
    await expect.poll(state).toSatisfy((seen) => seen === 200 || typeof seen === 'string');
    if (container.isRunning) return { container, url, port };
    const printed = container.out + container.err;
    if (printed.includes('is in use')) return null;
    throw new Error(`It ended: ${printed}`);
  }

  it('I7 without a configuration it is a reader, healthy, with everything in the volume, and stops on SIGTERM', async () => {
    const { container, url } = await run();
    expect(await (await fetch(url)).text()).toMatch(/^<!doctype html>/i);
    expect(await container.run(...healthCheck)).toMatchObject({ code: 0 });
    expect(await container.run('kawaraban', 'status')).toMatchObject({ code: 0 });
    expect((await container.run('kawaraban', 'sources', 'list', '--json')).out.trim()).toBe('[]');
    expect(readFileSync(join(data, 'kawaraban.yaml'), 'utf8')).toContain('sources: {}');
    container.signal('SIGTERM');
    expect(await container.ended, container.err).toBe(0);
    expect(lstatSync(join(data, 'data/reader.db')).uid).toBe(USER);
    const again = await run();
    expect(await again.container.run('kawaraban', 'status')).toMatchObject({ code: 0 });
  });

  it('I7 start --sample shows items, and its articles are read', async () => {
    const { container, url } = await run('start', '--sample');
    await expect.poll(() => countDrops(url)).toBeGreaterThan(0);
    expect((await container.run('kawaraban', 'status')).out).toContain('morning');
    expect(readdirSync(data)).toEqual(['data']);
    container.signal('SIGTERM');
    expect(await container.ended, container.err).toBe(0);
  });

  it('I7 init writes each recipe into the volume', async () => {
    const { container } = await run();
    for (const recipe of ['reader', 'curator', 'summary-bot', 'timeline', 'videos', 'stories'])
      expect(await container.run('kawaraban', 'init', '--force', '--recipe', recipe)).toMatchObject({
        code: 0,
      });
    expect(existsSync(join(data, 'kawaraban.yaml.old'))).toBe(true);
  });

  it('I7 X16 C24 a mounted configuration is used, with its data in the volume', async () => {
    const mounted = join(image, 'etc/kawaraban');
    mkdirSync(mounted);
    onTestFinished(() => rmSync(mounted, { recursive: true }));
    copyFileSync(
      join(root, 'deploy/kubernetes/overlays/single/kawaraban.yaml'),
      join(mounted, 'kawaraban.yaml'),
    );
    const { container, url } = await run('start');
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect(readdirSync(data)).toContain('reader.db');
    container.signal('SIGTERM');
    expect(await container.ended, container.err).toBe(0);
  });

  it('I7 its root is read-only for the program, and holds no shell', async () => {
    const { container } = await run();
    const write =
      'try { require("fs").writeFileSync("/usr/lib/kawaraban/x", "") } catch (e) { console.log(e.code, process.getuid()) }';
    expect((await container.run('node', '--eval', write)).out).toBe(`EROFS ${USER}\n`);
    for (const path of ['bin/sh', 'usr/bin/sh', 'usr/bin/env'])
      expect(existsSync(join(image, path))).toBe(false);
  });

  it('I7 it reads the text of a PDF whose letters are pictures, without the drawing library', async () => {
    const task = readdirSync(join(image, 'usr/lib/kawaraban/dist/chunks')).find((name) =>
      /^extract-pdf-text-task-.*\.js$/.test(name),
    );
    const pdf = join(root, 'src/articles/testdata/pdf/bitmap-letters.pdf');
    copyFileSync(pdf, join(data, 'letters.pdf'));
    writeFileSync(
      join(data, 'read.mjs'),
      `import { readFileSync } from 'node:fs';
       const { default: read } = await import('/usr/lib/kawaraban/dist/chunks/${task}');
       const bytes = readFileSync('/data/letters.pdf');
       console.log((await read({ bytes, maxPages: 9, maxCharacters: 999 })).text);`,
    );
    const { container } = await run();
    expect((await container.run('node', 'read.mjs')).out).toBe(
      'the quick brown fox\njumps over the lazy dog\n\nnew paragraph here\n',
    );
  });

  it('I7 it is small', () => {
    const bytes = readdirSync(image, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });
}

/** A script, and those in the folder that it imports. */
function importedBy(file: string, folder: string, found = new Set<string>()): readonly string[] {
  if (found.has(file) || !file.startsWith(folder)) return [];
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/\bfrom '(\.{1,2}\/[^']+)'/g))
    importedBy(join(dirname(file), path), folder, found);
  return [...found];
}
