import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildJudges } from '../app/build-judges.ts';
import { type Config, loadConfig, loadConfigWithPlugins } from '../config/config.ts';
import { formatProblem } from '../config/problems.ts';
import { effectiveSettings } from '../config/resolve.ts';
import { plainFetcher } from '../fetch/loopback.fixture.ts';
import { readerSources } from '../sources/reader-sources.ts';
import { SourceCatalogue } from '../sources/source-catalogue.ts';
import { SqliteSourceCatalogueStore } from '../storage/sqlite/source-catalogue-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { maskSecrets } from '../telemetry/secrets.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { loadPlugins } from './load-plugins.ts';
import { isSecret } from './plugin.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-plugins-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A validator that takes everything, or refuses a setting. */
const SCHEMA = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => typeof value.url === 'number'
  ? { issues: [{ message: 'must be an address', path: [{ key: 'url' }] }, { message: 'and more is wrong' }] }
  : { value: { ...value, checked: true } } } }`;
const DEFINITION = `{ settings: ${SCHEMA}, create: () => ({}) }`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Installs a package as npm does. */
function install(
  name: string,
  text: string,
  about: object = { exports: { '.': { import: './main.js' } } },
): void {
  write(`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', ...about }));
  write(`node_modules/${name}/main.js`, text);
}

const pluginText = (name: string, fields: string): string =>
  `export default { name: '${name}', apiVersion: 1, ${fields} };`;

async function problemsOf(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  write('kawaraban.yaml', yaml);
  const file = join(folder, 'kawaraban.yaml');
  const loaded = await loadConfigWithPlugins(file, env);
  return loaded.ok ? [] : loaded.problems.map((one) => formatProblem(one).replaceAll(folder, '').slice(1));
}

async function configOf(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<Config> {
  write('kawaraban.yaml', yaml);
  const loaded = await loadConfigWithPlugins(join(folder, 'kawaraban.yaml'), env);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.config;
}

describe('plugins of a configuration', () => {
  it('I3 are found as packages and as files, and check the settings of their kinds', async () => {
    install(
      'kawaraban-plugin-one',
      pluginText('one', `sources: { map: ${DEFINITION} }, judges: { strict: ${DEFINITION} }`),
    );
    install('@me/two', pluginText('two', `publishers: { file: ${DEFINITION} }`), { main: 'main.js' });
    write('plugins/mine.mjs', pluginText('mine', `sourceStores: { folder: ${DEFINITION} }`));
    const config = await configOf(`plugins: [kawaraban-plugin-one, "@me/two", ./plugins/mine.mjs]
polling: { store: { kind: folder, path: here } }
sources: { a: { kind: map, url: "https://a.example/", name: A, every: 1h } }
judges: { b: { kind: strict, fallback: local, level: 3 } }
publishers: { c: { kind: file, path: out.txt, max_per_day: 5 } }
pipelines: { p: { kind: curate, sources: [a], judge: b, publish: [c], interests: [{ topic: weaving }] } }
`);
    expect(config.plugins.loaded.map(({ name }) => name)).toEqual(['one', 'two', 'mine']);
    expect(config.sources.a).toMatchObject({
      kind: 'plugin',
      pluginKind: 'map',
      name: 'A',
      every: 3_600_000,
    });
    expect(config.judges.b).toMatchObject({ kind: 'plugin', fallback: 'local', timeout: 60_000 });
    expect(config.publishers.c).toMatchObject({ kind: 'plugin', maxPerDay: 5, updateEdited: false });
    const { plugins } = config;
    expect(plugins.entry('sources', 'a').settings).toEqual({ url: 'https://a.example/', checked: true });
    expect(plugins.entry('judges', 'b').settings).toEqual({ level: 3, checked: true });
    expect(plugins.entry('publishers', 'c').settings).toEqual({ path: 'out.txt', checked: true });
    expect(plugins.entry('sourceStores', 'store').settings).toEqual({ path: 'here', checked: true });
    expect(JSON.parse(JSON.stringify(config)).plugins).toEqual([
      'kawaraban-plugin-one',
      '@me/two',
      './plugins/mine.mjs',
    ]);
  });

  it('I3 what cannot be used is refused by name with the reason, everything at once', async () => {
    install('broken', 'throw new Error("no such\\nthing");');
    install('nothing', 'export const plugin = 1;');
    install('later', 'export default { name: "later", apiVersion: 2 };');
    install('nameless', 'export default { apiVersion: 1 };');
    install('shapeless', pluginText('shapeless', 'sources: { a: { create: () => ({}) } }'));
    install('listed', pluginText('listed', 'sources: []'));
    install('own', pluginText('own', `judges: { local: ${DEFINITION} }, sources: { feed: ${DEFINITION} }`));
    install('first', pluginText('first', `sources: { map: ${DEFINITION} }`));
    install('second', pluginText('second', `sources: { map: ${DEFINITION}, "A B": ${DEFINITION} }`));
    write('node_modules/torn/package.json', '{');
    const names =
      'broken nothing later nameless shapeless listed own first second first torn absent ./absent.mjs';
    expect(
      await problemsOf(`plugins:\n${names
        .split(' ')
        .map((name) => `  - ${name}`)
        .join('\n')}
sources: { a: { kind: mpa, url: x }, b: { kind: map, url: 7, nmae: b } }
judges: { j: { kind: lcoal } }
server: { prot: 80 }
`),
    ).toEqual([
      'kawaraban.yaml:2:5 plugins[0]: `broken` cannot be loaded: no such',
      'kawaraban.yaml:3:5 plugins[1]: `nothing` is not a plugin: its default export must be made by `definePlugin`',
      'kawaraban.yaml:4:5 plugins[2]: `later` is written for version 2 of the plugin interface, and this Kawaraban has version 1: install the version of the plugin for it',
      'kawaraban.yaml:5:5 plugins[3]: `nameless` is not a plugin: it has no `name`',
      'kawaraban.yaml:6:5 plugins[4]: `shapeless` is not a plugin: `sources.a` needs `settings` (a Standard Schema) and `create`',
      'kawaraban.yaml:7:5 plugins[5]: `listed` is not a plugin: `sources` must be an object of kinds',
      'kawaraban.yaml:8:5 plugins[6]: `own` brings a source of kind `feed`, which Kawaraban has itself',
      'kawaraban.yaml:8:5 plugins[6]: `own` brings a judge of kind `local`, which Kawaraban has itself',
      'kawaraban.yaml:10:5 plugins[8]: `second` brings a source of kind `map`, as `first` does: remove one of the plugins',
      'kawaraban.yaml:10:5 plugins[8]: `second` brings a source of kind `A B`: a kind is made of lower-case letters, digits and -',
      'kawaraban.yaml:11:5 plugins[9]: `first` stands here a second time: remove one',
      'kawaraban.yaml:12:5 plugins[10]: `torn` has a package.json that cannot be read: install it again',
      expect.stringMatching(
        /^kawaraban\.yaml:13:5 plugins\[11\]: `absent` is not installed: run `npm install absent` in /,
      ),
      expect.stringMatching(
        /^kawaraban\.yaml:14:5 plugins\[12\]: `.\/absent.mjs` does not exist: the path starts at /,
      ),
      'kawaraban.yaml:15:23 sources.a.kind: there is no source of kind `mpa`: did you mean `map`?',
      'kawaraban.yaml:15:41 sources.b: and more is wrong',
      'kawaraban.yaml:15:59 sources.b.url: must be an address',
      'kawaraban.yaml:16:22 judges.j.kind: there is no judge of kind `lcoal`: did you mean `local`?',
      'kawaraban.yaml:17:11 server.prot: unknown key `prot`: did you mean `port`?',
    ]);
  });

  it('I3 a kind without its plugin is unknown', async () => {
    expect(
      await problemsOf(`polling: { store: { kind: folder } }
sources: { a: { kind: map }, b: { kind: feed, url: "https://b.example/" } }
publishers: { m: { kind: mastodom } }
`),
    ).toEqual([
      'kawaraban.yaml:1:27 polling.store.kind: there is no source store of kind `folder`: name the plugin that has it below `plugins:`',
      'kawaraban.yaml:2:23 sources.a.kind: there is no source of kind `map`: name the plugin that has it below `plugins:`',
      'kawaraban.yaml:2:41 sources.b.kind: write `feed: …` in place of `kind: feed`',
      'kawaraban.yaml:3:26 publishers.m.kind: there is no publisher of kind `mastodom`: did you mean `mastodon`?',
    ]);
  });

  it('I3 one that hangs while it is loaded is refused', async () => {
    install('endless', '');
    const clock = new ManualClock();
    const own = { kinds: [], keys: [] };
    const loading = loadPlugins(
      { plugins: ['endless'] },
      {
        folder,
        own: { sources: own, judges: own, publishers: own, sourceStores: own },
        env: null,
        clock,
        load: () => new Promise(() => {}),
      },
    );
    await vi.waitFor(() => expect(clock.sleeping).toBe(1));
    await clock.advance(30_000);
    expect((await loading).violations).toEqual([
      { path: ['plugins', 0], message: '`endless` did not answer within 30 seconds' },
    ]);
  });

  it('I3 a validator that throws or hangs is a problem of its entry', async () => {
    const throwing = `{ '~standard': { version: 1, vendor: 'test', validate() { throw new Error('odd'); } } }`;
    install('odd', pluginText('odd', `sources: { odd: { settings: ${throwing}, create: () => ({}) } }`));
    expect(await problemsOf('plugins: [odd]\nsources: { a: { kind: odd } }\n')).toEqual([
      'kawaraban.yaml:2:15 sources.a: its plugin cannot check these settings: odd',
    ]);
  });

  it('I3 X7 secrets of a plugin are references, checked, loaded and masked', async () => {
    install('one', pluginText('one', `publishers: { post: ${DEFINITION} }`));
    const yaml = (token: string): string => `plugins: [one]
sources: { a: { feed: "https://a.example/" } }
publishers: { c: { kind: post, nested: { token: ${token} }, list: [{ env: OTHER_TOKEN }] } }
pipelines: { p: { kind: summarise, sources: [a], publish: [c] } }
`;
    expect(await problemsOf(yaml('abc'), { OTHER_TOKEN: 'x' })).toEqual([
      expect.stringMatching(
        /^kawaraban\.yaml:3:49 publishers\.c\.nested\.token: a secret may not be written/,
      ),
    ]);
    expect(await problemsOf(yaml('{ env: MY_TOKEN }'), { OTHER_TOKEN: 'x' })).toEqual([
      'kawaraban.yaml:3:49 publishers.c.nested.token: the environment variable MY_TOKEN is not set: set it before starting',
    ]);
    const env = { MY_TOKEN: 'secret-of-the-test-1', OTHER_TOKEN: 'secret-of-the-test-2' };
    const config = await configOf(yaml('{ env: MY_TOKEN }'), env);
    const { settings } = config.plugins.entry('publishers', 'c');
    const { nested, list } = settings as { nested: { token: unknown }; list: unknown[] };
    expect([nested.token, list[0]].map((one) => (isSecret(one) ? one.reveal() : one))).toEqual(
      Object.values(env),
    );
    expect(`${String(nested.token)} ${JSON.stringify(settings)}`).not.toMatch(/secret-of/);
    expect(maskSecrets('sent secret-of-the-test-1 away')).toBe('sent [masked] away');
  });

  it('I3 the keys of judges that a plugin’s judge names are needed', async () => {
    install('one', pluginText('one', `judges: { both: ${DEFINITION} }`));
    const yaml = `plugins: [one]
sources: { a: { feed: "https://a.example/" } }
judges:
  g: { kind: gemini, model: m, key: { env: NO_SUCH_KEY } }
  h: { kind: gemini, model: m, key: { env: NO_SUCH_KEY } }
  b: { kind: both, ask: [g, local] }
pipelines: { p: { kind: curate, sources: [a], judge: b, interests: [{ topic: weaving }] } }
`;
    expect(await problemsOf(yaml)).toEqual([
      'kawaraban.yaml:4:37 judges.g.key: the environment variable NO_SUCH_KEY is not set: set it before starting',
    ]);
  });

  it('I3 a newsroom that is called loads them too', async () => {
    write('kawaraban.yaml', 'plugins: [absent]\nsources: { a: { kind: map } }\n');
    const { openServerless } = await import('../serverless/function.ts');
    await expect(openServerless({ KAWARABAN_CONFIG: join(folder, 'kawaraban.yaml') }, '0')).rejects.toThrow(
      '`absent` is not installed',
    );
  });

  it('I3 a judge can be built on others, but not on itself', async () => {
    const judge = `{ settings: ${SCHEMA}, create: async ({ on }, { judge }) => judge(on) }`;
    install('one', pluginText('one', `judges: { like: ${judge} }`));
    const open = async (judges: string) => {
      const config = await configOf(
        `plugins: [one]\njudges: ${judges}\nsources: { a: { feed: "https://a.example/" } }\n`,
      );
      const engine = { judgeStores: () => Promise.reject(new Error('not needed')) };
      const deps = {
        fetcher: plainFetcher,
        clock: new ManualClock(),
        events: silentEvents,
        log: silentLogger,
      };
      return buildJudges({ config, engine, ...deps, stack: new AsyncDisposableStack() });
    };
    const { byId } = await open(
      '{ a: { kind: like, on: b }, b: { kind: like, on: local, fallback: local } }',
    );
    const article = { url: 'https://a.example/', title: 'Weaving', text: 'Weaving is slow.' };
    expect(await byId.get('a')?.screen(article, [])).toMatchObject({ outcome: 'judged', by: { judge: 'a' } });
    await expect(open('{ a: { kind: like, on: b }, b: { kind: like, on: a } }')).rejects.toThrow(
      'the judges a → b → a need each other',
    );
    await expect(open('{ a: { kind: like, on: missing } }')).rejects.toThrow(
      'judges.a: the plugin one cannot create it: there is no judge “missing”',
    );
  });

  it('I3 their sources are changed like others on the page, and added only in the file', async () => {
    install('one', pluginText('one', `sources: { map: ${DEFINITION} }`));
    const config = await configOf(
      'plugins: [one]\nsources: { a: { kind: map, url: "https://a.example/" } }\n',
    );
    const store = new SqliteSourceCatalogueStore(':memory:');
    onTestFinished(() => store[Symbol.asyncDispose]());
    const catalogue = new SourceCatalogue({ config, store, clock: new ManualClock(), log: silentLogger });
    await catalogue.change('a', { name: 'Renamed', folders: ['Maps'] }, 'page');
    expect(catalogue.get('a')?.settings).toMatchObject({
      kind: 'plugin',
      name: 'Renamed',
      folders: ['Maps'],
    });
    expect(readerSources(catalogue).all()).toMatchObject([{ id: 'a', kind: 'map', site: null }]);
    const added = {
      id: 'b',
      settings: { kind: 'map', url: 'https://b.example/' },
      addedBy: 'page' as const,
      addedAt: 0,
    };
    await catalogue.add([{ ...added, name: null, enabled: null, folders: null, pipelines: [] }]);
    expect(catalogue.get('b')).toBeNull();
  });

  it('I3 without loading them a configuration can be shown, and not started', async () => {
    install('one', pluginText('one', `sources: { map: ${DEFINITION} }`));
    write('kawaraban.yaml', 'plugins: [one]\nsources: { a: { kind: map, url: "https://a.example/" } }\n');
    const loaded = loadConfig(join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error('it is valid');
    expect(effectiveSettings(loaded.document)).toMatchObject({
      plugins: ['one'],
      sources: { a: { kind: 'map', enabled: true, url: 'https://a.example/' } },
    });
    expect(() => loaded.config.plugins.entry('sources', 'a')).toThrow(
      'The plugin of sources.a was not loaded.',
    );
  });

  it('I3 a plugin beside a kawaraban elsewhere is found from there, and the folder of the file comes first', async () => {
    const { resolvePlugin } = await import('./resolve-plugin.ts');
    const other = mkdtempSync(join(tmpdir(), 'kawaraban-global-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    install('one', '');
    mkdirSync(join(other, 'node_modules', 'two'), { recursive: true });
    writeFileSync(join(other, 'node_modules', 'two', 'package.json'), '{ "exports": "./a.js" }');
    mkdirSync(join(other, 'node_modules', 'one'), { recursive: true });
    writeFileSync(join(other, 'node_modules', 'one', 'package.json'), '{}');
    const folders = [folder, join(other, 'node_modules', 'kawaraban')];
    expect(resolvePlugin('one', folders)).toContain(folder);
    expect(resolvePlugin('two', folders)).toMatch(/two\/a\.js$/);
    expect(resolvePlugin('three', folders)).toBeNull();
  });
});
