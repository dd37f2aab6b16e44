import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { grow, randomFrom, shrink } from './fuzz-inputs.ts';

/**
 * Throws seeded random and mutated inputs at a target for some time.
 *
 *   npm run fuzz                                    the list of targets
 *   npm run fuzz -- url-guard --seconds 30          one target
 *   npm run fuzz -- all --seconds 10                each target for so long
 *   npm run fuzz -- url-guard --seed 42             the same inputs again
 *
 * A target is a file in `fuzz/` that exports `target(data)`, which throws when a promise is broken, and optionally
 * `seeds`, inputs to grow others from.
 */
interface Target {
  target(data: Uint8Array | string): unknown;
  readonly seeds?: readonly (string | Uint8Array)[];
}

/** An input that takes longer than this stalls the process. */
const SLOW_MS = 2000;
const folder = join(import.meta.dirname, '..', 'fuzz');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const [wanted] = positionals;

if (wanted === undefined) {
  console.log(`targets: ${names.join(', ')}, or all`);
} else if ((wanted !== 'all' && !names.includes(wanted)) || !(seconds > 0) || !Number.isInteger(seed)) {
  console.error(`usage: npm run fuzz -- <${names.join('|')}|all> [--seconds N] [--seed N]`);
  process.exitCode = 2;
} else {
  for (const name of wanted === 'all' ? names : [wanted]) if (!(await fuzz(name))) process.exitCode = 1;
}

async function fuzz(name: string): Promise<boolean> {
  const module: Target = await import(pathToFileURL(join(folder, `${name}.ts`)).href);
  const random = randomFrom(seed);
  const pool: Buffer[] = [...(module.seeds ?? [''])].map((each) => Buffer.from(each));
  const end = performance.now() + seconds * 1000;
  let runs = 0;
  let slowest = 0;
  // The seeds themselves come first.
  for (let next = pool[0]; performance.now() < end || runs < pool.length; next = grow(pool, random)) {
    const input = runs < pool.length ? (pool[runs] ?? Buffer.alloc(0)) : (next ?? Buffer.alloc(0));
    runs++;
    const started = performance.now();
    const failure = await failureOf(module, input);
    const took = performance.now() - started;
    slowest = Math.max(slowest, took);
    if (failure === null && took <= SLOW_MS) continue;
    const smallest =
      failure === null
        ? input
        : await shrink(input, async (each) => (await failureOf(module, each)) !== null);
    console.error(`${name}: ${failure ?? `one input took ${Math.round(took)} ms`}`);
    console.error(
      `  seed ${seed}, run ${runs}; to repeat: npm run fuzz -- ${name} --seed ${seed} --seconds ${seconds}`,
    );
    console.error(`  input as text: ${JSON.stringify(smallest.toString('utf8').slice(0, 500))}`);
    console.error(`  input as base64: ${smallest.toString('base64').slice(0, 2000)}`);
    return false;
  }
  console.log(
    `${name}: ${runs} inputs in ${seconds} s, none broke it (seed ${seed}, slowest ${Math.round(slowest)} ms)`,
  );
  return true;
}

async function failureOf(module: Target, input: Buffer): Promise<string | null> {
  try {
    await module.target(input);
    await module.target(input.toString('utf8'));
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
