// `npm run bench -- <name> [--quick] [--json]`: measures, prints a table, keeps the figures in bench/results/<name>.json.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Result } from './bench.ts';

const folder = import.meta.dirname;
const NOT_BENCHMARKS = new Set(['main.ts', 'bench.ts', 'rounds.ts', 'install-peers.ts']);
const names = readdirSync(folder)
  .filter((file) => /^[a-z-]+\.ts$/.test(file) && !NOT_BENCHMARKS.has(file))
  .map((file) => file.slice(0, -3));

/** Earlier names of benchmarks. */
const ALIASES = new Map([['press', 'publish']]);

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});
const [given] = positionals;
const name = given === undefined ? undefined : (ALIASES.get(given) ?? given);
if (values.help || name === undefined || positionals.length > 1 || !names.includes(name)) {
  if (name !== undefined && !values.help) console.error(`There is no benchmark "${positionals.join(' ')}".`);
  console.error('usage: npm run bench -- <name> [--quick] [--json]\n');
  for (const one of names) console.error(`  ${one.padEnd(16)} ${(await load(one)).about}`);
  process.exit(values.help || name === undefined ? 0 : 2);
}

const began = performance.now();
const results = await (await load(name)).run({ quick: values.quick, log: (line) => console.error(line) });
const answer = { bench: name, results };
mkdirSync(join(folder, 'results'), { recursive: true });
writeFileSync(
  join(folder, 'results', `${name}.json`),
  `${JSON.stringify({ ...answer, quick: values.quick, at: new Date().toISOString(), machine: machine() }, null, 2)}\n`,
);
console.log(table(results));
console.log(
  `${values.quick ? 'quick, ' : ''}${((performance.now() - began) / 1000).toFixed(1)} s on ${machine()}`,
);
if (values.json) console.log(JSON.stringify(answer));

async function load(one: string): Promise<Bench> {
  return (await import(`./${one}.ts`)) as Bench;
}

function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

function table(all: readonly Result[]): string {
  const rows = all.map(({ name, ours, unit, peer, limit, ratioToPeer, ratioToLimit, goal, met }) => [
    met ? '✓' : '✗',
    name,
    `${figure(ours)} ${unit}`,
    peer === null ? '–' : `${peer.name} ${figure(peer.value)} (${ratioToPeer}×)`,
    limit === null ? '–' : `${limit.name} ${figure(limit.value)} (${ratioToLimit}×)`,
    goal,
  ]);
  const lines = [['', 'what', 'ours (median)', 'peer', 'limit', 'goal'], ...rows];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((row) => [...(row[column] ?? '')].length))) ?? [];
  return lines
    .map((row) =>
      row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  '),
    )
    .join('\n');
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value.toLocaleString('en', { maximumSignificantDigits: value >= 1000 ? 6 : 4 });
}
