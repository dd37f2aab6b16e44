import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

/** A stream in which "mizuhiki" is always tied to paper cords and knots, and other crafts are not. */
const TITLES = [
  'Mizuhiki knots for a wedding envelope',
  'Paper cords: a mizuhiki workshop in Iida',
  'Young makers bring mizuhiki knots to jewellery',
  'Iida sells mizuhiki cords abroad',
  'How mizuhiki cords are dyed in Iida',
  'Mizuhiki knots decorate the station',
  'Potters open their kilns',
  'A loom for the living room',
  'Carving spoons in winter',
  'Glass blowers meet by the lake',
  'Baskets of willow and rush',
  'The last bookbinder of the street',
  'Felt hats return to the market',
  'A kiln that runs on sunlight',
  'Spinning wheels from the attic',
  'Lacquer needs patience',
];

let cwd: string;
let server: Server;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-interests-'));
  const items = TITLES.map(
    (title, n) =>
      `<item><title>${title}</title><link>http://127.0.0.1/${n}</link><guid>craft-${n}</guid><description>${title}.</description></item>`,
  );
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/rss+xml');
    response.end(`<rss version="2.0"><channel><title>Crafts</title>${items.join('')}</channel></rss>`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  crafts: { feed: "http://127.0.0.1:${port}/feed.xml", first_contact: { newest: 20 } }
publishers:
  feed: { kind: atom }
pipelines:
  morning:
    kind: curate
    sources: [crafts]
    interests: [{ topic: mizuhiki }, { topic: スポーツ }]
    first_contact: { newest: 20 }
    publish: [feed]
`,
  );
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
  rmSync(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd, env: {} });

interface Report {
  readonly items: number;
  readonly interests: readonly {
    readonly topic: string;
    readonly known: boolean;
    readonly items: number;
    readonly proposals: readonly { readonly word: string; readonly together: number }[];
  }[];
}

describe('interests', { timeout: 240_000 }, () => {
  it('Q17 judge try finds an English match report by a Japanese interest that it never names', async () => {
    writeFileSync(
      join(cwd, 'match.md'),
      '# Late winner sends Rovers through to the final\n\nThe striker scored in injury time after the goalkeeper had saved a penalty. The coach praised his midfielders.\n',
    );
    const { code, out, err } = await cli('judge', 'try', 'match.md', '-p', 'morning', '--json');
    expect(code, err).toBe(0);
    const { trial } = JSON.parse(out) as {
      trial: { evaluation: { value: { score: number; topics: string[] } } };
    };
    const { score, topics } = trial.evaluation.value;
    expect(topics).toEqual(['スポーツ']);
    expect(score).toBeGreaterThanOrEqual(70);
  });

  it('Q18 proposes the words that accompany an unknown interest, and changes nothing', async () => {
    const first = await cli('run', 'morning');
    expect(first.code, first.err).toBe(0);
    const { code, out, err } = await cli('interests', 'suggest', '--json');
    expect(code, err).toBe(0);
    const [report] = JSON.parse(out) as Report[];
    expect(report?.items).toBe(TITLES.length);
    const [unknown, broad] = report?.interests ?? [];
    expect(unknown).toMatchObject({ topic: 'mizuhiki', known: false, items: 6 });
    const words = unknown?.proposals.map(({ word }) => word.toLowerCase());
    expect(words).toContain('knots');
    expect(words).toContain('cords');
    expect(words).not.toContain('kilns');
    expect(words).not.toContain('mizuhiki');
    expect(broad).toMatchObject({ topic: 'スポーツ', known: true, proposals: [] });

    const text = await cli('interests', 'suggest', '-p', 'morning');
    expect(text.out).toMatch(/^ {2}\? knots \(3 with it, 0 without\)$/im);
    expect(text.out).toContain('These are proposals and do not count.');
    expect((await cli('interests', 'diff')).out).toContain('Nothing would be re-evaluated');
    const wrong = await cli('interests', 'suggest', '-p', 'morning2');
    expect(wrong.code).not.toBe(0);
  });

  it('Q25 accepts, refuses and removes aliases; a refused word is not proposed again', async () => {
    const proposed = async (): Promise<readonly string[]> => {
      const [report] = JSON.parse((await cli('interests', 'suggest', '--json')).out) as Report[];
      return report?.interests[0]?.proposals.map(({ word }) => word.toLowerCase()) ?? [];
    };
    writeFileSync(join(cwd, 'knots.md'), '# Sailors tie knots\n\nKnots for ropes of every kind.\n');
    const topics = async (): Promise<readonly string[]> => {
      const { out } = await cli('judge', 'try', 'knots.md', '-p', 'morning', '--json');
      return (JSON.parse(out) as { trial: { evaluation: { value: { topics: string[] } } } }).trial.evaluation
        .value.topics;
    };
    expect(await topics()).toEqual([]);
    const accepted = await cli('interests', 'accept', 'Mizuhiki', 'knots', '-p', 'morning');
    expect(accepted.out, accepted.err).toContain('"knots" is an alias of Mizuhiki from the next run on.');
    expect(await topics()).toEqual(['mizuhiki']);
    expect((await cli('interests', 'refuse', 'mizuhiki', 'cords')).code).toBe(0);
    expect(await proposed()).not.toContain('cords');
    expect(await proposed()).not.toContain('knots');
    const list = await cli('interests', 'list');
    expect(list.out).toMatch(/^mizuhiki \(medium\)\n {2}knots \(added by .+\)\n {2}refused: cords$/m);

    const problems = await cli('interests', 'accept', 'mizuhiki', 'スポーツ', '!');
    expect(problems.code).not.toBe(0);
    expect(problems.err).toMatch(/"スポーツ" is a topic .*; "!" must have letters/);
    expect((await cli('interests', 'accept', 'mizuhikis', 'knot')).err).toContain('mizuhiki');
    expect((await cli('backup', 'copy')).code).toBe(0);
    expect((await cli('interests', 'remove', 'mizuhiki', 'knots', 'cords')).code).toBe(0);
    expect((await cli('restore', 'copy', '--force')).code).toBe(0);
    expect((await cli('interests', 'list')).out).toBe(list.out);
    expect((await cli('interests', 'remove', 'mizuhiki', 'knots', 'cords')).code).toBe(0);
    expect((await cli('interests', 'remove', 'mizuhiki', 'knots')).code).not.toBe(0);
    expect(await proposed()).toEqual(expect.arrayContaining(['knots', 'cords']));
    expect(await topics()).toEqual([]);
  });
});
