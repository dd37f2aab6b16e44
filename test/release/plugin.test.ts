import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loopback } from '../../src/fetch/loopback.fixture.ts';
import { NODE, Program } from '../program.ts';
import { type Installation, install, readJson } from './installed.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let installed: Installation;
beforeAll(async () => {
  installed = await install([join(root, 'docs/examples/kawaraban-plugin-sitemap')]);
}, 600_000);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true }));

/** A folder beside the installed packages, with these files. */
function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(installed.folder, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

function kawaraban(args: readonly string[], folder: string): Program {
  const environment = { HOME: folder, KAWARABAN_PORT: '0' };
  const program = new Program(args, environment, folder, { program: installed.program });
  onTestFinished(() => program.kill());
  return program;
}

describe('a plugin that is installed from its tarball', () => {
  it('I3 its source is polled, its judge decides, its publisher publishes and its store keeps the state', async () => {
    const text =
      'Weaving on a loom is slow work. Our weaving group meets on Mondays, and everybody may come. ';
    const site = await loopback((request, response) => {
      if (request.url === '/sitemap.xml')
        response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end(`<urlset><url><loc>${site.url}/news/weaving-on-a-loom</loc></url></urlset>`);
      else
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<html><title>Weaving on a loom</title><article><p>${text.repeat(10)}</p></article></html>`);
    });
    onTestFinished(() => site[Symbol.asyncDispose]());
    const folder = folderWith('newsroom', {
      'kawaraban.yaml': `plugins: [kawaraban-plugin-sitemap]
polling: { store: { kind: folder, path: ./state } }
network: { allow: ["${new URL(site.url).host}"], host_spacing: 0s }
sources: { site: { kind: sitemap, url: "${site.url}/sitemap.xml", name: A site, every: 1s } }
judges: { both: { kind: careful, second: local } }
publishers: { lines: { kind: file, path: published.txt } }
pipelines:
  morning:
    kind: curate
    every: 1s
    sources: [site]
    judge: both
    publish: [lines]
    min_articles: 1
    min_relevance_score: 1
    interests: [{ topic: weaving, priority: high }]
`,
    });
    expect((await kawaraban(['config', 'check'], folder).ended).out).toBe('kawaraban.yaml is valid.\n');
    const doctor = await kawaraban(['doctor'], folder).ended;
    expect(doctor.out).toContain('loaded, with the kinds sitemap, careful, file, folder');
    expect(doctor.out).toMatch(/sources\.site: read, 1 items/);
    expect((await kawaraban(['sources', 'test', 'site'], folder).ended).out).toContain('weaving on a loom');

    const newsroom = kawaraban(['start', '--json'], folder);
    const { url } = JSON.parse((await newsroom.waitForOutput(/^\{.*"started":true.*$/m))[0]) as {
      url: string;
    };
    await expect.poll(() => published(folder)).toHaveLength(1);
    expect(published(folder)[0]).toContain(`${site.url}/news/weaving-on-a-loom`);
    // The page and the API name the kind as the configuration does.
    const { sources } = (await (await fetch(`${url}/api/v1/sources`)).json()) as { sources: object[] };
    expect(sources).toMatchObject([{ id: 'site', name: 'A site', kind: 'sitemap' }]);
    newsroom.child.kill('SIGTERM');
    expect((await newsroom.ended).code).toBe(0);

    expect(readdirSync(join(folder, 'state')).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    const status = JSON.parse((await kawaraban(['status', '--json'], folder).ended).out) as {
      sources: readonly object[];
    };
    expect(status.sources).toMatchObject([{ kind: 'sitemap', record: { itemsSeen: 1, failuresInARow: 0 } }]);
    const explained = await kawaraban(['explain', `${site.url}/news/weaving-on-a-loom`], folder).ended;
    expect(explained.out).toMatch(/both/);
    expect(published(folder)).toHaveLength(1);
  });

  it('I3 one that is missing is refused by every command, with its name and what to do', async () => {
    const folder = folderWith('refused', {
      'kawaraban.yaml': 'plugins: [kawaraban-plugin-absent]\nsources: { site: { kind: map } }\n',
    });
    const problem = 'kawaraban.yaml:1:11 plugins[0]: `kawaraban-plugin-absent` is not installed';
    for (const args of [['config', 'check'], ['start'], ['status'], ['doctor']]) {
      const { code, out, err } = await kawaraban(args, folder).ended;
      expect(`${out}${err}`, args.join(' ')).toContain(problem);
      expect(code, args.join(' ')).not.toBe(0);
    }
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ])('I3 is written with types (%s, %s)', async (module, moduleResolution) => {
    const folder = folderWith(`types-${moduleResolution}`, {
      'package.json': '{ "type": "module" }',
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2023',
          lib: ['es2023'],
          module,
          moduleResolution,
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          skipLibCheck: false,
          typeRoots: [join(root, 'node_modules/@types')],
          types: ['node'],
        },
        files: ['plugin.ts'],
      }),
      'plugin.ts': `import { definePlugin, isSecret, type Plugin, type PluginSecret, type SourceReading } from 'kawaraban';
import { judgeContract, publisherContract, sourceStoreContract } from 'kawaraban/testing';
import { z } from 'zod';

const plugin: Plugin = definePlugin({
  name: 'mine',
  apiVersion: 1,
  sources: {
    mine: {
      settings: z.object({ pages: z.number().default(3), key: z.custom<PluginSecret>(isSecret) }),
      create: ({ pages, key }, { name, fetcher }) => ({
        async read(state, signal): Promise<SourceReading> {
          const most: number = pages;
          const answer = await fetcher.fetch({ url: \`https://a.example/?key=\${key.reveal()}\` }, signal);
          if (answer.outcome === 'failed') return { outcome: 'offline', detail: \`\${name} \${most}\` };
          return { outcome: 'unchanged', memory: state };
        },
      }),
    },
  },
  judges: {
    // @ts-expect-error A judge answers three questions.
    silent: { settings: z.object({}), create: () => ({ abilities: { takesPdf: false } }) },
  },
  publishers: {
    // @ts-expect-error The settings have no such key.
    wrong: { settings: z.object({ path: z.string() }), create: ({ file }) => file },
  },
});
export default plugin;
export const suites = [judgeContract, publisherContract, sourceStoreContract];
`,
    });
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const output = await run(NODE, [tsc, '-p', folder, '--pretty', 'false']).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string }) => error.stdout,
    );
    expect(output).toBe('');
  });

  it('I3 runs the contract suites of kawaraban/testing', async () => {
    const folder = folderWith('suites', {
      'package.json': '{ "type": "module" }',
      'store.test.js': `import { mkdtempSync, rmSync } from 'node:fs';
import plugin from 'kawaraban-plugin-sitemap';
import { sourceStoreContract } from 'kawaraban/testing';

sourceStoreContract('The folder', async () => {
  const folder = mkdtempSync(new URL('state-', import.meta.url).pathname);
  const open = () => plugin.sourceStores.folder.create({ path: folder }, { folder: '/' });
  return { store: open(), isShared: false, reopen: async () => open(), dispose: async () => rmSync(folder, { recursive: true }) };
});
`,
    });
    symlinkSync(join(root, 'node_modules/vitest'), join(installed.folder, 'node_modules/vitest'));
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const file = join(folder, 'report.json');
    await run(NODE, [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${file}`], {
      cwd: folder,
    });
    const report = readJson(file);
    expect(report).toMatchObject({ numPassedTests: 8, numFailedTests: 0 });
  });
});

function published(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'published.txt'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
