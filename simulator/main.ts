import { parseArgs } from 'node:util';
import { parseDuration } from '../src/time/duration.ts';
import { feedPath } from './feeds/feeds.ts';
import { startSimulator } from './simulator.ts';
import { OUTLETS } from './world/outlet.ts';

const HELP = `Runs a small internet on this computer: feeds, pages, Hacker News, YouTube, Discord, Mastodon, Gemini, OpenAI.

  npx node simulator/main.ts [--port 4800] [--grow 5s] [--seed 1] [--latency 20ms] [--keep FILE]

  --port     first of nine consecutive ports; any free ones without it
  --grow     how often something new appears somewhere; each outlet has one item an hour without it
  --seed     the same number gives the same news
  --latency  every answer takes at least this long
  --keep     a file in which what was posted outlives this run
`;

await main().catch((problem: unknown) => {
  console.error(problem instanceof Error ? problem.message : String(problem));
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      grow: { type: 'string' },
      seed: { type: 'string' },
      latency: { type: 'string' },
      keep: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const grow = duration('--grow', values.grow);
  const latencyMs = duration('--latency', values.latency);
  const sim = await startSimulator({
    epoch: 0,
    ...(values.port === undefined ? {} : { port: whole('--port', values.port, 65_527) }),
    ...(values.seed === undefined ? {} : { seed: whole('--seed', values.seed, 2 ** 31) }),
    ...(grow === undefined ? {} : { grow: { everyMs: grow } }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(values.keep === undefined ? {} : { keepIn: values.keep }),
  });
  console.log(`The simulator runs. Look at ${sim.urls.control}/\n`);
  console.log(`  Discord   webhook ${sim.discord.webhookUrl}`);
  console.log(
    `            bot     ${sim.discord.apiUrl}  token ${sim.discord.botToken}  channel ${sim.discord.channels.newsroom}`,
  );
  console.log(`            see     ${sim.urls.control}/discord`);
  console.log(`  Mastodon  ${sim.urls.mastodon}  token ${sim.mastodon.token}`);
  console.log(`            see     ${sim.urls.control}/mastodon`);
  console.log(`  HN        ${sim.urls.hackernews}/v0`);
  console.log(`  YouTube   ${sim.urls.youtube}/youtube/v3  key ${sim.youtube.key}`);
  console.log(`  Gemini    ${sim.urls.gemini}/v1beta  key ${sim.gemini.key}`);
  console.log(`  OpenAI    ${sim.urls.openai}/v1  key ${sim.openai.key}`);
  for (const outlet of OUTLETS)
    console.log(`  feed      ${sim.urls.feeds}${feedPath(outlet)}  ${outlet.name}`);
  console.log('\nNone of these tokens is a secret. Ctrl-C stops.');
  const stop = (): void => {
    Promise.resolve(sim[Symbol.asyncDispose]()).catch((problem: unknown) => {
      console.error(problem);
      process.exitCode = 1;
    });
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function duration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === null) throw new Error(`${option} takes a length of time such as 5s or 20ms, not "${text}"`);
  return ms;
}

function whole(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new Error(`${option} takes a whole number up to ${most}, not "${text}"`);
  }
  return value;
}
