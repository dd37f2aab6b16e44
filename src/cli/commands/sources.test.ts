import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;
let feeds: string;

beforeAll(async () => {
  simulator = await startSimulator({});
  feeds = simulator.urls.feeds;
});
afterAll(() => simulator[Symbol.asyncDispose]());
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-sources-'));
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `# Mine
network: { allow: ["127.0.0.1"], host_spacing: 0s }   # the simulator
sources:
  herald: { feed: "${feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } } # daily
  gone: { feed: "${feeds}/odd/gone.xml" }
  talks:
    youtube: "@datatalks"   # a channel
    key: { env: YOUTUBE_KEY }
    base_url: ${simulator.urls.youtube}
    feed_url: ${simulator.urls.youtube}
    quota_per_day: 500
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
pipelines:
  morning:
    kind: curate
    sources: [herald, gone]   # the best
    interests: [{ topic: databases }]
  videos: { kind: process, sources: [talks], processor: { builtin: summarise } }
`,
  );
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const cli = (...args: string[]): Promise<CliOutput> =>
  run(args, { cwd, env: { HOOK: simulator.discord.webhookUrl, YOUTUBE_KEY: simulator.youtube.key } });
/** All sources and pipelines, as a configuration. */
const exported = async () =>
  parse((await cli('sources', 'export', '--yaml')).out) as {
    sources: Record<string, Record<string, unknown>>;
    pipelines: Record<string, { sources: string[] }>;
  };
const file = (): string => readFileSync(join(cwd, 'kawaraban.yaml'), 'utf8');

describe('X14 sources list', { timeout: 240_000 }, () => {
  it('X14 shows for each source its last poll, its items, its failure and its identity rule', async () => {
    const before = await cli('sources', 'list');
    expect(before.code, before.err).toBe(0);
    expect(before.out).toMatch(/^herald +feed +file +– +never checked +– +– +0 +– +.*morning/m);
    await cli('run', 'morning');
    const after = await cli('sources', 'list');
    expect(after.out).toMatch(
      /^herald +feed +file +– +OK +(now|.* ago) +in .* +\d\d+ +(link|guid|both)\?? +.*morning/m,
    );
    expect(after.out).toMatch(
      /^gone +feed +file +– +failing .*The publisher has removed this feed permanently \(status 410\)/m,
    );
    await cli('sources', 'disable', 'gone');
    expect((await cli('sources', 'list')).out).toMatch(/^gone +feed +file +– +paused /m);
  });

  it('D12 shows the used quota of a channel’s API key', async () => {
    await cli('run', 'videos');
    const result = await cli('sources', 'list', '--json');
    const talks = (
      JSON.parse(result.out) as { id: string; quota: { used: number; limit: number } | null }[]
    ).find(({ id }) => id === 'talks');
    expect(talks?.quota?.limit).toBe(500);
    expect(talks?.quota?.used).toBeGreaterThan(0);
    expect((await cli('sources', 'list')).out).toMatch(/^talks +youtube .* [1-9]\d* of 500 +videos/m);
  });
});

describe('X14 sources add', { timeout: 240_000 }, () => {
  it('X14 finds the feed that a page links to, shows its newest items and adds it', async () => {
    const before = file();
    const result = await cli('sources', 'add', `${feeds}/open-ledger`, '--pipeline', 'morning');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^Open Ledger$/m);
    expect(result.out).toMatch(/^Published +Title +Address$/m);
    expect(result.out).toContain('Added as open-ledger, used by morning.');
    expect(file()).toBe(before);
    const { sources, pipelines } = await exported();
    expect(sources['open-ledger']).toEqual({ feed: `${feeds}/open-ledger/feed.xml`, name: 'Open Ledger' });
    expect(pipelines.morning?.sources).toEqual(['herald', 'gone', 'open-ledger']);
    expect((await cli('sources', 'list')).out).toMatch(
      /^open-ledger +feed +command +– +never checked .*morning/m,
    );
  });

  it('X14 lists all feeds of a page with several, each with the command that adds it', async () => {
    const result = await cli('sources', 'add', `${feeds}/`, '-p', 'morning');
    expect([result.code, result.out]).toEqual([2, '']);
    expect(result.err).toMatch(/this page links to \d+ feeds\. Choose one:/);
    expect(result.err).toContain(`kawaraban sources add ${feeds}/ --feed 2 --pipeline morning`);
    expect(result.err).toMatch(/Open Ledger: \d+ items, newest ".+"/);
    expect(Object.keys((await exported()).sources)).toHaveLength(3);
    const wrong = await cli('sources', 'add', `${feeds}/`, '--feed', '99');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no feed "99"')]);
    const number = result.err.match(/--feed (\d+)[^\n]*\n +Open Ledger/)?.[1] ?? '';
    const added = await cli('sources', 'add', `${feeds}/`, '--feed', number);
    expect(added.code, added.err).toBe(0);
    expect((await exported()).sources['open-ledger']?.feed).toBe(`${feeds}/open-ledger/feed.xml`);
  });

  it('X14 asks at a terminal which of several feeds to add', async () => {
    const ask = (answers: string) =>
      run(['sources', 'add', `${feeds}/`], { cwd, terminal: { columns: 100, answers } });
    expect((await ask('\n')).err).toContain('nothing was added');
    expect((await ask('no\n')).err).toContain('no feed "no"');
    expect(Object.keys((await exported()).sources)).toHaveLength(3);
    const result = await ask('2\n');
    expect(result.code, result.err).toBe(0);
    expect(result.err).toMatch(/^ {3}2 {2}\S.*: \d+ items?/m);
    expect(Object.keys((await exported()).sources)).toHaveLength(4);
  });

  it('X14 adds a channel by its handle', async () => {
    const result = await cli(
      ...['sources', 'add', '@orbitshow', '--feed-url', simulator.urls.youtube, '--json', '-p', 'videos'],
    );
    expect(result.code, result.err).toBe(0);
    const answer = JSON.parse(result.out) as { id: string; trial: { items: number } };
    expect(answer).toMatchObject({ youtube: '@orbitshow', pipelines: ['videos'], added: true });
    expect(answer.trial.items).toBeGreaterThan(0);
    const { sources, pipelines } = await exported();
    expect(sources[answer.id]).toMatchObject({ youtube: '@orbitshow', feed_url: simulator.urls.youtube });
    expect(pipelines.videos?.sources).toEqual(['talks', answer.id]);
  });

  it('X14 a dry run shows the result and adds nothing', async () => {
    const result = await cli('sources', 'add', `${feeds}/orbit-weekly/feed.json`, '--dry-run', '--json');
    expect(JSON.parse(result.out)).toMatchObject({
      id: 'orbit-weekly',
      added: false,
      trial: { outcome: 'read', title: 'Orbit Weekly' },
    });
    expect((await cli('sources', 'add', `${feeds}/orbit-weekly/feed.json`, '-n')).out).toContain(
      'Nothing was changed.',
    );
    expect(Object.keys((await exported()).sources)).toHaveLength(3);
  });

  it.each([
    [
      'a feed that exists already',
      () => [`${feeds}/byte-herald/feed.xml`],
      73,
      'exists already, as "herald"',
    ],
    ['a page that leads to it', () => [`${feeds}/byte-herald`], 73, 'exists already, as "herald"'],
    [
      'what is no feed',
      () => [`${feeds}/odd/page.xml`],
      69,
      'There is no feed at this address (a web page that links to no feed)',
    ],
    [
      'what is gone',
      () => [`${feeds}/odd/empty-room.xml`],
      69,
      'There is no feed at this address (status 404)',
    ],
    [
      'an inside address',
      () => ['http://10.0.0.7/feed'],
      69,
      'Private addresses are blocked; to allow this one, add `10.0.0.7` to `network.allow`',
    ],
    ['no address', () => ['not an address'], 2, 'is not the address'],
    ['another kind of address', () => ['ftp://a.example/feed'], 2, 'is not the address'],
    [
      'an ID that is taken',
      () => [`${feeds}/open-ledger`, '--id', 'herald'],
      2,
      'The source "herald" exists already',
    ],
    ['an ID that cannot be', () => [`${feeds}/open-ledger`, '--id', 'a b'], 73, 'An ID is made of letters'],
    ['an unknown pipeline', () => [`${feeds}/open-ledger`, '-p', 'mornin'], 66, 'did you mean `morning`?'],
    ['a feed for videos', () => [`${feeds}/open-ledger`, '-p', 'videos'], 73, 'YouTube channels only'],
  ])('X14 %s is refused and nothing is added', async (_, args, code, words) => {
    const result = await cli('sources', 'add', ...args());
    expect([result.code, result.out, result.err]).toEqual([code, '', expect.stringContaining(words)]);
    expect(Object.keys((await exported()).sources)).toHaveLength(3);
  });

  it('X14 --anyway adds a source that cannot be read at the moment', async () => {
    expect((await cli('sources', 'add', `${feeds}/odd/error.xml`, '--anyway', '--id', 'later')).code).toBe(0);
    expect((await exported()).sources.later).toEqual({ feed: `${feeds}/odd/error.xml` });
  });
});

describe('X14 R2 changes of sources', { timeout: 240_000 }, () => {
  const add = () => cli('sources', 'add', `${feeds}/open-ledger`, '--id', 'ledger', '-p', 'morning');

  it('B19 R2 removing a source deletes its state: added again, it is a first contact', async () => {
    await add();
    await cli('run', 'morning');
    expect((await cli('sources', 'list')).out).toMatch(/^ledger +feed +command +– +OK/m);
    const result = await cli('sources', 'remove', 'ledger');
    expect([result.code, result.out]).toEqual([0, 'ledger was removed.\n']);
    expect((await cli('sources', 'list')).out).not.toContain('ledger');
    await add();
    expect((await cli('sources', 'list')).out).toMatch(/^ledger +feed +command +– +never checked/m);
  });

  it('R3 a source of the configuration file is removed there, and can be paused, renamed and filed', async () => {
    const before = file();
    const refused = await cli('sources', 'remove', 'herald');
    expect([refused.code, refused.out]).toEqual([73, '']);
    expect(refused.err).toContain(`"herald" is declared in ${join(cwd, 'kawaraban.yaml')}: remove it there`);
    expect((await cli('sources', 'remove', 'heral')).err).toContain('did you mean `herald`?');
    expect((await cli('sources', 'pause', 'herald')).out).toBe('herald is now paused.\n');
    expect((await cli('sources', 'disable', 'herald')).out).toBe('herald is already paused.\n');
    expect((await cli('sources', 'rename', 'herald', 'The “Herald”')).out).toContain('called "The “Herald”"');
    expect((await cli('sources', 'move', 'herald', ' News / World ')).out).toContain('News/World');
    const [herald] = JSON.parse((await cli('sources', 'list', '--json')).out) as object[];
    expect(herald).toMatchObject({
      id: 'herald',
      origin: 'file',
      name: 'The “Herald”',
      enabled: false,
      folders: ['News', 'World'],
      nextAt: null,
    });
    expect(JSON.parse((await cli('sources', 'enable', 'herald', '--json')).out)).toEqual({
      source: 'herald',
      enabled: true,
      changed: true,
    });
    expect((await cli('sources', 'move', 'herald')).out).toContain('now in no folder');
    expect(file()).toBe(before);
  });

  it('R4 a source is assigned to pipelines, and no longer', async () => {
    await cli('sources', 'add', `${feeds}/open-ledger`, '--id', 'ledger');
    expect((await cli('sources', 'assign', 'ledger', 'morning')).out).toContain('assigned to morning');
    expect((await exported()).pipelines.morning?.sources).toEqual(['herald', 'gone', 'ledger']);
    expect((await cli('sources', 'assign', 'ledger', 'mornin')).err).toContain('did you mean `morning`?');
    expect((await cli('sources', 'assign', 'ledger', 'videos')).err).toContain('YouTube channels only');
    expect((await cli('sources', 'assign', 'ledger')).out).toContain('assigned to no pipeline');
    expect((await exported()).pipelines.morning?.sources).toEqual(['herald', 'gone']);
  });

  it('R2 a configuration file that cannot be written is no obstacle', async () => {
    chmodSync(join(cwd, 'kawaraban.yaml'), 0o400);
    expect((await add()).code).toBe(0);
    expect((await cli('sources', 'pause', 'gone')).code).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(['data', 'kawaraban.yaml']);
  });

  it('R21 the export is a configuration that reads back to the same', async () => {
    await add();
    await cli('sources', 'move', 'ledger', 'Tech/日本語: "#1"');
    await cli('sources', 'pause', 'gone');
    await cli('sources', 'rename', 'talks', 'Talks, and more');
    await cli('sources', 'add', '@orbitshow', '--feed-url', simulator.urls.youtube, '-p', 'videos');
    const listed = async (...args: string[]) =>
      (JSON.parse((await cli('sources', 'list', '--json', ...args)).out) as Record<string, unknown>[]).map(
        ({ id, name, kind, url, enabled, folders, pipelines }) => ({
          ...{ id, name, kind, url, enabled, folders, pipelines },
        }),
      );
    const before = await listed();
    expect((await cli('sources', 'export', '--yaml', '-o', 'all.yaml')).code).toBe(0);
    expect((await cli('sources', 'export', '--yaml', '-o', 'all.yaml')).code).toBe(73);
    const text = readFileSync(join(cwd, 'all.yaml'), 'utf8');
    expect(text).toContain('# Mine');
    expect(text).toContain('{ env: YOUTUBE_KEY }');
    expect(text).not.toContain(simulator.youtube.key);
    writeFileSync(join(cwd, 'other.yaml'), `data: ./other\n${text}`);
    expect((await cli('config', 'check', '-c', 'other.yaml')).code).toBe(0);
    expect(await listed('-c', 'other.yaml')).toEqual(before);
    // In place of the file it came from: the file declares them now.
    expect(await listed('-c', 'all.yaml')).toEqual(before);
    expect((await cli('sources', 'remove', 'ledger', '-c', 'all.yaml')).err).toContain('is declared in');
    expect((await cli('sources', 'export')).code).toBe(2);
    expect((await cli('sources', 'export', '--opml')).out).toContain('open-ledger/feed.xml');
  });
});

describe('X14 sources test', { timeout: 240_000 }, () => {
  it('X14 shows the content without storing anything', async () => {
    const result = await cli('sources', 'test', 'herald');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^The Byte Herald$/m);
    expect(result.out).toMatch(/^Identity +by (link|guid|both)/m);
    expect(readdirSync(cwd)).toEqual(['kawaraban.yaml']);
    const other = await cli('sources', 'test', `${feeds}/open-ledger`, '--json');
    expect(JSON.parse(other.out)).toMatchObject({ outcome: 'read', feed: `${feeds}/open-ledger/feed.xml` });
    expect((await cli('sources', 'test', 'talks')).code).toBe(0);
  });

  it('X14 reports why a source cannot be read', async () => {
    const gone = await cli('sources', 'test', 'gone');
    expect([gone.code, gone.out]).toEqual([69, expect.stringContaining('removed this feed permanently')]);
    const wrong = await cli('sources', 'test', 'heral');
    expect([wrong.code, wrong.err]).toEqual([66, expect.stringContaining('did you mean `herald`?')]);
    const keyless = await run(['sources', 'test', 'talks'], { cwd, env: {} });
    expect([keyless.code, keyless.err]).toEqual([
      78,
      expect.stringContaining('key for the YouTube Data API'),
    ]);
    // A feed needs no secret of a publisher.
    expect((await run(['sources', 'test', 'herald'], { cwd, env: {} })).code).toBe(0);
  });
});
