import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-cli-'));
  simulator = await startSimulator({});
  env = { HOOK: simulator.discord.webhookUrl };
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } }
  gone: { feed: "${simulator.urls.feeds}/no/such/feed.xml" }
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
pipelines:
  morning:
    kind: curate
    sources: [herald, gone]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }, { topic: TypeScript }]
    min_relevance_score: 50
    max_articles: 2
    min_articles: 1
    first_contact: { newest: 20 }
    publish: [discord, timeline]
`,
  );
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd, env });
interface Listed {
  readonly items: readonly { readonly key: string; readonly title: string; readonly state: string }[];
  readonly next: string | null;
}
async function items(...filter: string[]): Promise<Listed> {
  const result = await cli('items', '--json', ...filter);
  expect(result.code, result.err).toBe(0);
  return (JSON.parse(result.out) as Listed[])[0] ?? { items: [], next: null };
}

describe('X12 a newsroom from the command line', () => {
  it('X12 run --dry-run shows the messages and sends none of them', async () => {
    const result = await cli('run', 'morning', '--dry-run');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^Would be sent to discord:\n {2}▌ .+\n {2}▌ http\S+\n/m);
    expect(result.out).toMatch(/^ {2}▌ Relevance: \d+ \/ 100 · Topics: /m);
    expect(result.out).not.toContain('"embeds"');
    expect(result.out.match(/^accepted .*would be sent to discord, timeline/gm)).toHaveLength(2);
    expect(result.out).not.toContain('postponed');
    expect(result.out).toContain('Nothing was written or sent.');
    expect(result.out).toMatch(/^Failed to read gone: There is no feed at this address \(status 404\)$/m);
    expect(simulator.discord.messages()).toHaveLength(0);
  });

  it('X12 run posts, and reports the decision on each item and each source that failed, with the reason', async () => {
    const result = await cli('run', 'morning', '--json');
    expect(result.code, result.err).toBe(0);
    const report = JSON.parse(result.out) as {
      items: { outcome: string }[];
      sourcesRead: number;
      sourcesFailed: number;
    };
    expect(report).toMatchObject({
      sourcesRead: 1,
      sourcesFailed: 1,
      failedSources: [
        { source: 'gone', reason: expect.stringContaining('There is no feed at this address') },
      ],
    });
    expect(report.items.filter(({ outcome }) => outcome === 'published')).toHaveLength(2);
    expect(simulator.discord.messages()).toHaveLength(1);
  });

  it('X12 status shows pipelines and sources, and the failure of a source', async () => {
    const result = await cli('status');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^Pipeline +Kind +State/m);
    expect(result.out).toMatch(/^morning +curate +idle .* +2 +\d+ +0 +0 +0 9 \* \* \* \(Asia\/Tokyo\)$/m);
    expect(result.out).toMatch(/^gone +feed +– +0 +not found/m);
    const json = JSON.parse((await cli('status', '--json')).out) as { pipelines: { id: string }[] };
    expect(json.pipelines.map(({ id }) => id)).toEqual(['morning']);
  });

  it('Q16 status says that no embedding model is configured, and who decides then', async () => {
    expect((await cli('status')).out).toContain(
      'Same story: by rules; no embedding model is configured, so they also decide what is in doubt',
    );
    expect(JSON.parse((await cli('status', '--json')).out)).toMatchObject({ embedder: null });
  });

  it('X12 items filters by state and text and pages by cursor', async () => {
    expect((await items('--state', 'published')).items).toHaveLength(2);
    const first = await items('--limit', '3');
    const second = await items('--limit', '3', '--pipeline', 'morning', '--cursor', first.next ?? '');
    const keys = [...first.items, ...second.items].map(({ key }) => key);
    expect(new Set(keys).size).toBe(6);
    const [one] = first.items;
    expect((await items('--text', one?.title ?? '')).items.some(({ key }) => key === one?.key)).toBe(true);
    expect((await cli('items', '--cursor', 'nonsense')).code).toBe(2);
    expect((await cli('items', '--limit', '0')).code).toBe(2);
  });

  it('X12 the table fits the terminal', async () => {
    const result = await run(['items', '--no-color'], { cwd, env, terminal: { columns: 80 } });
    const lines = result.out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(result.out).not.toContain('\x1b');
  });

  it('X12 colours on a terminal, unless NO_COLOR is set', async () => {
    const terminal = { columns: 120 };
    expect((await run(['items'], { cwd, env, terminal })).out).toContain('\x1b[');
    expect((await run(['items'], { cwd, env: { ...env, NO_COLOR: '1' }, terminal })).out).not.toContain(
      '\x1b[',
    );
  });

  it('X4 explain shows when, why, by whom and where an item was posted', async () => {
    const [item] = (await items('--state', 'published')).items;
    const result = await cli('explain', item?.key ?? '');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toContain(item?.title);
    expect(result.out).toMatch(/Verdict +\d+ of 100, topics: /);
    expect(result.out).toMatch(/By +local/);
    expect(result.out).toMatch(/\d\d:\d\d.* {2}Seen for the first time, at /);
    expect(result.out).toMatch(/\d\d:\d\d.* {2}Accepted/);
    expect(result.out).toMatch(/Sent to discord as \d{17,20}\./);
    expect(result.out).toMatch(/\nNow\n {2}It is published, and that is final\./);
  });

  it('X12 an ambiguous item is refused with the candidates, an unknown one is not found', async () => {
    const many = await cli('explain', 'http');
    expect([many.code, many.err]).toEqual([66, expect.stringContaining('matches many items')]);
    expect((await cli('explain', 'no such item')).code).toBe(66);
    const wrong = await cli('run', 'mornin');
    expect([wrong.code, wrong.err]).toEqual([66, expect.stringContaining('did you mean `morning`?')]);
  });

  it('X2 X12 resolve finishes every article of a digest whose reply was lost', async () => {
    const other = mkdtempSync(join(tmpdir(), 'kawaraban-cli-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const text = readFileSync(join(cwd, 'kawaraban.yaml'), 'utf8').replace(
      '[discord, timeline]',
      '[discord]',
    );
    writeFileSync(join(other, 'kawaraban.yaml'), text);
    const there = (...args: string[]): Promise<CliOutput> => run(args, { cwd: other, env });
    const list = async (state: string): Promise<Listed['items']> =>
      (JSON.parse((await there('items', '--json', '--state', state)).out) as Listed[])[0]?.items ?? [];
    simulator.injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    await there('run', 'morning');
    const parked = await list('parked');
    expect(parked).toHaveLength(2);
    const result = await there('resolve', parked[0]?.key ?? '', '--as', 'sent');
    expect(result.code, result.err).toBe(0);
    expect(await list('parked')).toEqual([]);
    expect(await list('published')).toHaveLength(2);
  });

  it('X12 park, resolve and retry move one item, and what the lifecycle forbids changes nothing', async () => {
    const [waiting] = (await items('--state', 'accepted')).items;
    const key = waiting?.key ?? '';
    expect((await cli('park', key, '--because', 'wrong author')).out).toContain('is parked');
    expect((await items('--state', 'parked')).items.map((item) => item.key)).toEqual([key]);
    expect((await cli('explain', key)).out).toContain('wrong author');
    expect((await cli('retry', key)).out).toContain('queued for a retry');
    expect((await items('--state', 'waiting')).items.map((item) => item.key)).toEqual([key]);
    await cli('park', key);
    expect((await cli('resolve', key, '--as', 'dropped')).out).toContain('is marked as dropped');
    const [published] = (await items('--state', 'published')).items;
    const refused = await cli('retry', published?.key ?? '');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('nothing was changed')]);
  });

  it('X14 export and import move a pipeline’s ledger into another newsroom, all or nothing', async () => {
    const out = await cli('export', '--output', 'morning.jsonl');
    expect(out.code, out.err).toBe(0);
    expect((await cli('export', '--output', 'morning.jsonl')).code).toBe(73);
    const lines = readFileSync(join(cwd, 'morning.jsonl'), 'utf8').trimEnd().split('\n');
    const other = { cwd, env: { ...env, KAWARABAN_DATA: join(cwd, 'other') } };
    writeFileSync(join(cwd, 'cut.jsonl'), lines.slice(0, -2).join('\n'));
    const cut = await run(['import', 'cut.jsonl'], other);
    expect([cut.code, cut.err]).toEqual([65, expect.stringContaining('Nothing was stored')]);
    const whole = await run(['import', 'morning.jsonl'], other);
    expect(whole.out).toContain(`${lines.length - 2} items imported into morning`);
    const again = await run(['import', 'morning.jsonl'], other);
    expect(again.out).toContain('0 items imported into morning');
    const stories = await run(['export', '--format', 'items'], other);
    expect(stories.out.trimEnd().split('\n').length).toBeGreaterThan(10);
    expect(readdirSync(cwd).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('X12 sweep counts old items and removes no recent one', async () => {
    expect((await cli('sweep', '--dry-run')).out).toMatch(/morning +nothing/);
    expect(JSON.parse((await cli('sweep', '--json')).out)).toEqual({
      pipelines: [{ pipeline: 'morning', swept: {}, tombstonesRemoved: 0, complete: true }],
      judges: { calls: 0, verdicts: 0 },
      reader: { entries: 0, texts: 0 },
    });
    expect((await cli('sweep', '--pipeline', 'mornin')).code).toBe(66);
  });

  it('X12 doctor runs every check and advises how to fix what failed', async () => {
    const result = await cli('doctor', '--json');
    const { findings } = JSON.parse(result.out) as {
      findings: { what: string; state: string; cure?: string }[];
    };
    const state = Object.fromEntries(findings.map((finding) => [finding.what, finding.state]));
    expect(state).toMatchObject({
      Node: 'good',
      Configuration: 'good',
      Keys: 'good',
      'Data folder': 'good',
      'Engine (embedded)': 'good',
      'sources.herald': 'good',
      'sources.gone': 'bad',
      Clock: 'good',
    });
    expect(result.code).toBe(1);
    expect(findings.find(({ what }) => what === 'sources.gone')?.cure).toContain('enabled: false');
    const withoutKey = await run(['doctor', '--offline'], { cwd, env: {} });
    expect(withoutKey.out).toContain('✗ Keys: ');
    expect(withoutKey.out).toContain('the environment variable HOOK is not set');
  });

  it('X12 doctor reads sources with the limits of `network`', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-cli-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const moved = `${simulator.urls.feeds}/odd/moved.xml`;
    const config = {
      network: { allow: ['127.0.0.1'], max_redirects: 0 },
      sources: { moved: { feed: moved } },
    };
    writeFileSync(join(folder, 'kawaraban.yaml'), JSON.stringify(config));
    const { out } = await run(['doctor', '--json'], { cwd: folder, env });
    const { findings } = JSON.parse(out) as { findings: { what: string; state: string; detail: string }[] };
    expect(findings.find(({ what }) => what === 'sources.moved')).toMatchObject({
      state: 'bad',
      detail: expect.stringMatching(/redirect/),
    });
  });
});
