import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { App } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { configPath, openConfig } from '../open-config.ts';
import { RefusalError } from '../refusal.ts';
import type { SampleNewsroom } from '../sample-newsroom.ts';
import { Stopping } from '../stopping.ts';
import type { House, Terminal } from '../terminal.ts';
import { appOf, version } from '../with-app.ts';
import { countWords, distanceWords } from '../words.ts';

/** A supervisor's patience is ten seconds as a rule. */
const LONGEST_STOP = 9000;

interface StartOptions extends EveryOption {
  readonly sample?: boolean;
}

/** `start`: runs the newsroom until it is stopped. */
export function startCommand(parts: CommandParts): Command {
  return commandNamed('start', 'run the newsroom until Ctrl-C; without a kawaraban.yaml, a sample')
    .option('--sample', 'run the sample newsroom even if there is a kawaraban.yaml')
    .action(
      action(parts, async (terminal, options: StartOptions) => {
        const stopping = new Stopping(terminal, { withinMs: LONGEST_STOP });
        const closing: AsyncDisposable[] = [];
        try {
          const sample = wantsSample(parts.house, options) ? await sampleOf(parts.house) : null;
          if (sample !== null) closing.push(sample);
          const config = await openConfig(parts.house, sample?.path ?? options.config);
          const { telemetryOf } = await import('../../app/telemetry.ts');
          const telemetry = await telemetryOf(config, version());
          closing.push(telemetry);
          const app = await appOf(config, telemetry, sample !== null);
          closing.push(app);
          const serving = await app.serve();
          closing.push(serving);
          const owner = await app.signing.accounts.ownerLink();
          const welcome = owner === null ? null : app.welcomeAddress(owner.token, serving.url);
          if (options.json)
            terminal.json({
              started: true,
              sample: sample !== null,
              url: serving.url,
              welcome,
              pipelines: [...app.pipelines.keys()],
            });
          else await tell(terminal, app, config, { url: serving.url, welcome }, sample);
          if (!stopping.signal.aborted) await app.keepGoing(stopping.signal);
          await stopped(stopping.signal);
          return EXIT.ok;
        } finally {
          // In the opposite order; one that fails to close does not keep the others open.
          for (const part of closing.reverse()) await part[Symbol.asyncDispose]();
          stopping[Symbol.dispose]();
          if (stopping.signal.aborted) terminal.note('Stopped. The next start goes on from here.');
        }
      }),
    );
}

/** A newsroom without pipelines (timelines alone) still runs until it is stopped. */
async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function sampleOf(house: House): Promise<SampleNewsroom> {
  const { startSample } = await import('../sample-newsroom.ts');
  // Loaded while the simulator starts; whoever needs them finds them there.
  const [sample] = await Promise.all([
    startSample(house),
    import('../../app.ts'),
    import('../../config/config.ts'),
  ]);
  return sample;
}

function wantsSample(house: House, options: StartOptions): boolean {
  if (options.sample) {
    if (options.config === undefined) return true;
    throw new RefusalError('--sample and --config exclude each other: leave one of them out', EXIT.usage);
  }
  const named = options.config ?? house.env.KAWARABAN_CONFIG;
  return named === undefined && !existsSync(configPath(house, undefined));
}

async function tell(
  terminal: Terminal,
  app: App,
  config: Config,
  { url, welcome }: { readonly url: string; readonly welcome: string | null },
  sample: SampleNewsroom | null,
): Promise<void> {
  const bold = (text: string): string => terminal.style('bold', text);
  const statuses = await app.newsroom.pipelines();
  terminal.out(
    bold(sample !== null ? '瓦版 Kawaraban: the sample newsroom is running' : '瓦版 Kawaraban is running'),
  );
  terminal.out(`  Page       ${bold(url)}`);
  if (welcome !== null)
    terminal.out(`  Welcome    ${bold(welcome)}\n             makes you the owner; good once, for a day`);
  for (const { id, kind, sources, destinations, nextRunAt } of statuses)
    terminal.out(
      `  Pipeline   ${id} (${kind}): ${countWords(sources.length, 'source')} → ${destinations.join(', ')}; next run ${distanceWords(nextRunAt, Date.now())}`,
    );
  terminal.out(
    `  Data       ${config.engine.kind === 'embedded' ? config.data : `project ${config.engine.project}`}`,
  );
  if (sample !== null) {
    terminal.out(`  Discord    ${sample.pages.discord} (simulated)`);
    terminal.out(`  Mastodon   ${sample.pages.mastodon} (simulated)`);
    terminal.out(
      '\nIts news, its Discord and its Mastodon are simulated on this machine: nothing leaves it.',
    );
    terminal.out('Make your own:  npx kawaraban init');
  }
  terminal.out(
    `${sample !== null ? '' : '\n'}In another terminal:  npx kawaraban status · items · explain <item>`,
  );
  terminal.out('Ctrl-C stops it.');
}
