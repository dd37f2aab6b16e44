import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
const file = (): string => readFileSync(join(cwd, 'kawaraban.yaml'), 'utf8');

describe('X14 sources list', { timeout: 240_000 }, () => {
  it('X14 shows for each source its last poll, its items, its failure and its identity rule', async () => {
    const before = await cli('sources', 'list');
    expect(before.code, before.err).toBe(0);
    expect(before.out).toMatch(/^herald +feed +not read yet +– +– +0 +– +.*morning/m);
    await cli('run', 'morning');
    const after = await cli('sources', 'list');
    expect(after.out).toMatch(
      /^herald +feed +OK +(now|.* ago) +in .* +\d\d+ +(link|guid|both)\?? +.*morning/m,
    );
    expect(after.out).toMatch(
      /^gone +feed +failing .*The publisher has removed this feed permanently \(status 410\)/m,
    );
    await cli('sources', 'disable', 'gone');
    expect((await cli('sources', 'list')).out).toMatch(/^gone +feed +off /m);
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
  it('X14 finds the feed that a page links to, shows its newest items and writes one line', async () => {
    const before = file();
    const result = await cli('sources', 'add', `${feeds}/open-ledger`, '--pipeline', 'morning');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^Open Ledger$/m);
    expect(result.out).toMatch(/^Published +Title +Address$/m);
    expect(result.out).toContain('as open-ledger, followed by morning.');
    const now = file().split('\n');
    const old = before.split('\n');
    expect(now.filter((line) => !old.includes(line))).toEqual([
      `  open-ledger: { feed: "${feeds}/open-ledger/feed.xml", name: "Open Ledger" }`,
      '    sources: [herald, gone, open-ledger]   # the best',
    ]);
    expect(old.filter((line) => !now.includes(line))).toEqual(['    sources: [herald, gone]   # the best']);
    expect((await cli('config', 'check')).code).toBe(0);
    expect(readdirSync(cwd).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('X14 lists all feeds of a page with several, each with the command that adds it', async () => {
    const before = file();
    const result = await cli('sources', 'add', `${feeds}/`, '-p', 'morning');
    expect([result.code, result.out]).toEqual([2, '']);
    expect(result.err).toMatch(/this page links to \d+ feeds\. Choose one:/);
    expect(result.err).toContain(`kawaraban sources add ${feeds}/ --feed 2 --pipeline morning`);
    expect(result.err).toMatch(/Open Ledger: \d+ items, newest ".+"/);
    expect(file()).toBe(before);
    const wrong = await cli('sources', 'add', `${feeds}/`, '--feed', '99');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no feed "99"')]);
    const number = result.err.match(/--feed (\d+)[^\n]*\n +Open Ledger/)?.[1] ?? '';
    const added = await cli('sources', 'add', `${feeds}/`, '--feed', number);
    expect(added.code, added.err).toBe(0);
    expect(file()).toContain(`  open-ledger: { feed: "${feeds}/open-ledger/feed.xml", name: "Open Ledger" }`);
  });

  it('X14 asks at a terminal which of several feeds to add', async () => {
    const ask = (answers: string) =>
      run(['sources', 'add', `${feeds}/`], { cwd, terminal: { columns: 100, answers } });
    const before = file();
    expect((await ask('\n')).err).toContain('nothing was added');
    expect((await ask('no\n')).err).toContain('no feed "no"');
    expect(file()).toBe(before);
    const result = await ask('2\n');
    expect(result.code, result.err).toBe(0);
    expect(result.err).toMatch(/^ {3}2 {2}\S.*: \d+ items?/m);
    expect(file()).not.toBe(before);
  });

  it('X14 adds a channel by its handle', async () => {
    const result = await cli(
      ...['sources', 'add', '@orbitshow', '--feed-url', simulator.urls.youtube, '--json', '-p', 'videos'],
    );
    expect(result.code, result.err).toBe(0);
    const answer = JSON.parse(result.out) as { id: string; trial: { items: number } };
    expect(answer).toMatchObject({ youtube: '@orbitshow', pipelines: ['videos'], written: true });
    expect(answer.trial.items).toBeGreaterThan(0);
    expect(file()).toContain(
      `  ${answer.id}: { youtube: "@orbitshow", feed_url: "${simulator.urls.youtube}"`,
    );
    expect(file()).toContain(`sources: [talks, ${answer.id}]`);
  });

  it('X14 a dry run shows the result and writes nothing', async () => {
    const before = file();
    const result = await cli('sources', 'add', `${feeds}/orbit-weekly/feed.json`, '--dry-run', '--json');
    expect(JSON.parse(result.out)).toMatchObject({
      id: 'orbit-weekly',
      written: false,
      trial: { outcome: 'read', title: 'Orbit Weekly' },
    });
    expect(file()).toBe(before);
    expect((await cli('sources', 'add', `${feeds}/orbit-weekly/feed.json`, '-n')).out).toContain(
      'Nothing was written.',
    );
  });

  it.each([
    [
      'a feed that exists already',
      () => [`${feeds}/byte-herald/feed.xml`],
      73,
      'exists already, as `herald`',
    ],
    ['a page that leads to it', () => [`${feeds}/byte-herald`], 73, 'exists already, as `herald`'],
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
    ['no address', () => ['not an address'], 2, 'is no address'],
    ['another kind of address', () => ['ftp://a.example/feed'], 2, 'is no address'],
    [
      'an ID that is taken',
      () => [`${feeds}/open-ledger`, '--id', 'herald'],
      2,
      'the source `herald` exists already',
    ],
    ['an ID that cannot be', () => [`${feeds}/open-ledger`, '--id', 'a b'], 65, 'nothing was written, since'],
    ['an unknown pipeline', () => [`${feeds}/open-ledger`, '-p', 'mornin'], 66, 'did you mean `morning`?'],
    ['a feed for videos', () => [`${feeds}/open-ledger`, '-p', 'videos'], 65, 'nothing was written, since'],
  ])('X14 %s is refused and nothing is written', async (_, args, code, words) => {
    const before = file();
    const result = await cli('sources', 'add', ...args());
    expect([result.code, result.out, result.err]).toEqual([code, '', expect.stringContaining(words)]);
    expect(file()).toBe(before);
  });

  it('X14 --anyway adds a source that cannot be read at the moment', async () => {
    expect((await cli('sources', 'add', `${feeds}/odd/error.xml`, '--anyway', '--id', 'later')).code).toBe(0);
    expect(file()).toContain(`  later: { feed: "${feeds}/odd/error.xml" }`);
  });
});

describe('X14 sources remove, enable, disable', { timeout: 240_000 }, () => {
  it('X14 remove also removes it from the pipelines and deletes its source state', async () => {
    await cli('run', 'morning');
    const result = await cli('sources', 'remove', 'herald');
    expect([result.code, result.out]).toEqual([0, expect.stringContaining('morning no longer follows it')]);
    expect(file()).not.toContain('herald');
    expect(file()).toContain('    sources: [gone]   # the best');
    const again = await cli('sources', 'add', `${feeds}/byte-herald/feed.xml`, '--id', 'herald');
    expect(again.code, again.err).toBe(0);
    expect((await cli('sources', 'list')).out).toMatch(/^herald +feed +not read yet/m);
  });

  it('X14 the last source of a pipeline cannot be removed', async () => {
    const before = file();
    const result = await cli('sources', 'remove', 'talks');
    expect([result.code, result.err]).toEqual([
      1,
      expect.stringContaining('`videos` would be left without a source'),
    ]);
    expect(file()).toBe(before);
    expect((await cli('sources', 'remove', 'heral')).err).toContain('did you mean `herald`?');
  });

  it('X14 disable and enable change one line; the file keeps its mode, and a symbolic link stays one', async () => {
    chmodSync(join(cwd, 'kawaraban.yaml'), 0o600);
    symlinkSync('kawaraban.yaml', join(cwd, 'link.yaml'));
    expect((await cli('sources', 'disable', 'herald', '-c', 'link.yaml')).out).toContain(
      'herald is now disabled.',
    );
    expect(file()).toContain('  herald: { enabled: false, feed:');
    expect((await cli('sources', 'disable', 'herald')).out).toContain('herald is already disabled.');
    expect(JSON.parse((await cli('sources', 'enable', 'herald', '--json')).out)).toMatchObject({
      source: 'herald',
      enabled: true,
      changed: true,
    });
    expect(file()).toContain('} # daily');
    expect(statSync(join(cwd, 'kawaraban.yaml')).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd).sort()).toEqual(['kawaraban.yaml', 'link.yaml']);
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
