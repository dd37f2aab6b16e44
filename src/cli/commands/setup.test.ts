import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliOutput, type FixtureOptions, cli as run } from '../cli.fixture.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const cli = (args: string[], options: Partial<FixtureOptions> = {}): Promise<CliOutput> =>
  run(args, { cwd, ...options });
const file = (name: string): string => readFileSync(join(cwd, name), 'utf8');

describe('X11 init', () => {
  it.each(['reader', 'curator', 'summary-bot', 'timeline', 'videos', 'stories'])(
    'X11 writes the recipe %s into an empty folder, and it passes the check',
    async (recipe) => {
      const result = await cli(['init', '--recipe', recipe]);
      expect(result.code, result.err).toBe(0);
      expect(readdirSync(cwd)).toEqual(['kawaraban.yaml']);
      const checked = await cli(['config', 'check', '--no-secrets']);
      expect(checked.code, checked.out).toBe(0);
      expect(checked.out).toContain('is valid');
    },
  );

  it('X11 prints which secrets to set and what to try next', async () => {
    const { err } = await cli(['init', '-r', 'summary-bot']);
    expect(err).toContain('Set GEMINI_API_KEY and MASTODON_TOKEN in the environment');
    expect(err).toContain('kawaraban run ministry --dry-run');
  });

  it('X11 keeps an existing file, and says how to continue', async () => {
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'mine: true\n');
    const result = await cli(['init', '-r', 'stories']);
    expect(result.code).toBe(73);
    expect(result.err).toContain('exists already and was not changed');
    expect(file('kawaraban.yaml')).toBe('mine: true\n');
    expect(readdirSync(cwd)).toEqual(['kawaraban.yaml']);
  });

  it('X11 --force keeps every old file beside the new one', async () => {
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'first: true\n');
    await cli(['init', '-r', 'stories', '--force']);
    const result = await cli(['init', '-r', 'curator', '--force']);
    expect(result.code).toBe(0);
    expect(file('kawaraban.yaml.old')).toBe('first: true\n');
    expect(file('kawaraban.yaml.2.old')).toContain('The story reader');
    expect(file('kawaraban.yaml')).toContain('The curator');
  });

  it('X11 asks once on a terminal, and by number or name', async () => {
    const result = await cli(['init'], { terminal: { columns: 80, answers: '6\n' } });
    expect(result.code, result.err).toBe(0);
    expect(file('kawaraban.yaml')).toContain('The story reader');
  });

  const OPML = `<opml version="2.0"><head/><body><outline text="Tech">
    <outline type="rss" text="One" xmlUrl="https://one.example/feed.xml"/>
    <outline type="rss" text="Two" xmlUrl="https://two.example/feed.xml"/>
  </outline></body></opml>`;

  it('R20 offers reader first, asks for an OPML file, and needs no secret', async () => {
    writeFileSync(join(cwd, 'feeds.opml'), OPML);
    const result = await cli(['init'], { terminal: { columns: 80, answers: '\nfeeds.opml\n' } });
    expect(result.code, result.err).toBe(0);
    expect(result.err).toMatch(/^ {2}1 {2}reader /m);
    expect(result.out).toContain('2 sources added.');
    expect(result.err).not.toContain('Set ');
    expect(file('kawaraban.yaml')).toContain('The reader');
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(parse(file('kawaraban.yaml'))).toMatchObject({ retention: { time_zone: zone } });
    expect((await cli(['config', 'check'])).code).toBe(0);
    expect((await cli(['sources', 'list'])).out).toMatch(/^one +feed +opml +Tech /m);
  });

  it('R20 without an OPML file it asks for addresses; one that cannot be read does not stop it', async () => {
    const answers = '1\n\nhttp://127.0.0.1:9/feed.xml\n';
    const result = await cli(['init'], { terminal: { columns: 80, answers } });
    expect(result.code, result.err).toBe(0);
    expect(result.err).toContain('Not added: http://127.0.0.1:9/feed.xml: Private addresses are blocked');
    expect((await cli(['config', 'check'])).code).toBe(0);
  });

  it('R20 reads the OPML file before it writes anything', async () => {
    const missing = await cli(['init', '-r', 'reader', '--opml', 'gone.opml']);
    expect([missing.code, missing.err]).toEqual([66, expect.stringContaining('gone.opml cannot be read')]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await cli(['init', '-r', 'stories', '--opml', 'gone.opml'])).code).toBe(2);
  });

  it('X11 a judge that nothing asks needs no key', async () => {
    const { err } = await cli(['init', '-r', 'curator']);
    expect(err).toContain('Set DISCORD_WEBHOOK_URL in the environment');
    expect(err).not.toContain('GEMINI_API_KEY');
    const check = (): Promise<CliOutput> => cli(['config', 'check'], { env: { DISCORD_WEBHOOK_URL: 'x' } });
    expect((await check()).code).toBe(0);
    const asking = file('kawaraban.yaml').replace('    judge: local', '    judge: gemini');
    writeFileSync(join(cwd, 'kawaraban.yaml'), asking);
    expect((await check()).out).toContain('judges.gemini.key: the environment variable GEMINI_API_KEY');
  });

  it('X10 --simulator says how to start one that is not there', async () => {
    const result = await cli(['init', '-r', 'curator', '--simulator'], {
      env: { KAWARABAN_SIMULATOR_PORT: '1' },
    });
    expect([result.code, result.err]).toEqual([69, expect.stringContaining('`kawaraban simulator`')]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('X11 does not prompt without a terminal', async () => {
    const result = await cli(['init']);
    expect(result.code).toBe(2);
    expect(result.err).toContain(
      'Add --recipe and one of reader, curator, summary-bot, timeline, videos, stories',
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('X11 suggests the nearest recipe', async () => {
    expect((await cli(['init', '-r', 'curater'])).err).toContain('did you mean `curator`?');
  });

  it('X11 a missing folder is reported in one sentence, and no partial file is left', async () => {
    const result = await cli(['init', '-r', 'stories', '-c', 'no/such/kawaraban.yaml']);
    expect(result.code).toBe(73);
    expect(result.err).toMatch(/^kawaraban: .*cannot be written: the folder .* does not exist\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('X12 answers in JSON', async () => {
    const result = await cli(['init', '-r', 'curator', '--json']);
    expect(JSON.parse(result.out)).toMatchObject({
      recipe: 'curator',
      kept: null,
      secrets: ['DISCORD_WEBHOOK_URL'],
    });
  });
});

describe('X11 config', () => {
  it('X11 check reads secrets from a .env file beside the configuration; the environment has precedence', async () => {
    await cli(['init', '-r', 'curator']);
    expect((await cli(['config', 'check'])).code).toBe(78);
    writeFileSync(join(cwd, '.env'), 'DISCORD_WEBHOOK_URL="https://discord.test/hook"\n');
    expect((await cli(['config', 'check'])).code).toBe(0);
    expect((await cli(['config', 'check'], { env: { DISCORD_WEBHOOK_URL: '' } })).code).toBe(78);
  });

  it('X12 check --json lists problems as data', async () => {
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'timelines: {}\nsorces: {}\n');
    const result = await cli(['config', 'check', '--json']);
    expect(result.code).toBe(78);
    expect(JSON.parse(result.out)).toMatchObject({
      ok: false,
      problems: [
        { line: 2, column: 1, path: 'sorces', message: 'unknown key `sorces`: did you mean `sources`?' },
      ],
    });
  });

  it('X7 show prints the effective configuration with secrets only by name, as equivalent YAML', async () => {
    await cli(['init', '-r', 'curator']);
    const env = { DISCORD_WEBHOOK_URL: 'https://discord.test/canary', KAWARABAN_PORT: '9999' };
    const result = await cli(['config', 'show'], { env });
    expect(result.code).toBe(0);
    expect(result.out).not.toContain('canary');
    expect(parse(result.out)).toMatchObject({
      server: { port: 9999 },
      publishers: { discord: { url: { env: 'DISCORD_WEBHOOK_URL' }, colour: '#c73e2c' } },
      pipelines: { morning: { min_relevance_score: 70, retry_limit: 5 } },
    });
    writeFileSync(join(cwd, 'shown.yaml'), result.out);
    expect((await cli(['config', 'check', 'shown.yaml'], { env })).code).toBe(0);
  });
});

describe('X14 OPML', () => {
  const OPML = `<?xml version="1.0"?><opml version="2.0"><head><title>mine</title></head><body>
<outline text="Tech"><outline type="rss" text="A &amp; B" xmlUrl="https://a.example/feed?x=1&amp;y=2"/>
<outline type="rss" text="日本語" xmlUrl="https://b.example/rss"/></outline>
<outline type="rss" text="again" xmlUrl="https://a.example/feed?x=1&amp;y=2"/>
<outline type="rss" text="local" xmlUrl="file:///etc/passwd"/>
<outline type="rss" text="known" xmlUrl="https://lobste.rs/rss/"/>
</body></opml>`;

  const exported = async () =>
    parse((await cli(['sources', 'export', '--yaml'])).out) as {
      sources: Record<string, { folders?: string[] }>;
      pipelines: { morning: { sources: string[] } };
    };

  it('X14 R2 import adds feeds and assigns them to a pipeline, and adds nothing twice', async () => {
    await cli(['init', '-r', 'curator']);
    const before = file('kawaraban.yaml');
    writeFileSync(join(cwd, 'feeds.opml'), OPML);
    const dry = await cli(['import', 'feeds.opml', '--dry-run']);
    expect(dry.err).toContain('2 feeds would be added');
    expect(Object.keys((await exported()).sources)).toEqual(['hn-frontpage', 'lobsters', 'node']);
    const result = await cli(['import', 'feeds.opml', '--pipeline', 'morning']);
    expect(result.code, result.err).toBe(0);
    expect(result.out.split('\n').slice(0, 2)).toEqual([
      'a-b  https://a.example/feed?x=1&y=2',
      'b-example  https://b.example/rss',
    ]);
    expect(file('kawaraban.yaml')).toBe(before);
    expect((await exported()).pipelines.morning.sources).toEqual([
      'hn-frontpage',
      'lobsters',
      'node',
      'a-b',
      'b-example',
    ]);
    expect((await cli(['import', 'feeds.opml'])).err).toContain('0 feeds added');
  });

  it('X14 R2 folders are imported and exported', async () => {
    await cli(['init', '-r', 'curator']);
    writeFileSync(
      join(cwd, 'feeds.opml'),
      OPML.replace('text="Tech"', 'text="Tech"><outline text="Data"').replace(
        '</outline>',
        '</outline></outline>',
      ),
    );
    expect((await cli(['sources', 'import', 'feeds.opml', '--folder', 'Mine'])).code).toBe(0);
    expect((await exported()).sources['a-b']?.folders).toEqual(['Mine', 'Tech', 'Data']);
    await cli(['sources', 'move', 'a-b', 'Tech/Data']);
    await cli(['sources', 'move', 'b-example', 'Tech/Data']);
    await cli(['export', '--format', 'opml', '-o', 'out.opml']);
    expect(file('out.opml').replace(/\s+/g, ' ')).toMatch(
      /<outline text="Tech" title="Tech"> <outline text="Data" title="Data"> <outline text="A &amp; B" type="rss"/,
    );
  });

  it('X14 export writes OPML that import reads', async () => {
    await cli(['init', '-r', 'curator']);
    await cli(['export', '--format', 'opml', '-o', 'out.opml']);
    mkdirSync(join(cwd, 'other'));
    writeFileSync(join(cwd, 'other', 'kawaraban.yaml'), 'timelines: {}\n');
    const result = await run(['import', '../out.opml', '--json'], { cwd: join(cwd, 'other') });
    expect(JSON.parse(result.out).added).toHaveLength(3);
  });

  it('X14 a file that is not OPML is refused', async () => {
    await cli(['init', '-r', 'curator']);
    writeFileSync(join(cwd, 'feeds.opml'), 'hello');
    const result = await cli(['import', 'feeds.opml']);
    expect([result.code, result.err]).toEqual([
      65,
      expect.stringContaining('feeds.opml: The file is no OPML file'),
    ]);
  });
});
