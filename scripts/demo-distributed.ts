// `npm run demo:distributed [-- --items 2000 --kills 40 --seed 1 --minutes 12]`: the whole newsroom on the distributed engine, two replicas of each
// role, while replicas are killed and restarted at random. It ends with its findings.
import { parseArgs } from 'node:util';
import { MINUTE } from '../src/time/duration.ts';
import { sharesOf } from '../test/fleet/fleet.ts';
import { runTrial } from '../test/fleet/trial.ts';

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    minutes: { type: 'string', default: '12' },
  },
});
const numbers = Object.entries(values).map(([name, value]) => [name, Number(value)] as const);
const bad = numbers.find(([, value]) => !Number.isInteger(value) || value < 0);
if (bad !== undefined) {
  console.error(`--${bad[0]} takes a whole number`);
  process.exit(2);
}
const { items = 0, kills = 0, seed = 0, minutes = 0 } = Object.fromEntries(numbers);
const began = performance.now();
const log = (line: string): void =>
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const { curated, videos, summarised } = sharesOf(items);
log(
  `${items} items (${curated} to curate, ${videos} videos, ${summarised} to summarise), ${kills} kills, seed ${seed}`,
);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    log('Stopping …');
    stop.abort();
  });
const { signal } = stop;
const result = await runTrial({ items, kills, seed, withinMs: minutes * MINUTE, log, signal }).catch(
  (error: unknown) => {
    if (signal.aborted) process.exit(130);
    throw error;
  },
);
const killed = Object.entries(result.kills).map(([role, n]) => `${n} ${role}`);
console.log(`
${result.items} items: ${result.published} published, ${result.rejected} rejected, ${result.drops} on the timeline
killed: ${killed.join(', ') || 'none'}; ${result.seconds} s in all
${result.wrong.length === 0 ? 'Every item is in a terminal state, none was posted twice, timelines are complete, nothing is leased.' : result.wrong.join('\n')}`);
process.exitCode = result.wrong.length === 0 ? 0 : 1;
