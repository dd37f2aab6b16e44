import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Roles } from '../../app/roles.ts';
import type { Serving } from '../../app/serving.ts';
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

/** A supervisor's patience is ten seconds as a rule; longer times in the configuration need a more patient one. */
const LEAST_STOP = 9000;

interface StartOptions extends EveryOption {
  readonly sample?: boolean;
  readonly role?: readonly string[];
}

/** `start`: runs the newsroom until it is stopped. */
export function startCommand(parts: CommandParts): Command {
  return commandNamed('start', 'run the newsroom until Ctrl-C; without a kawaraban.yaml, a sample')
    .option('--sample', 'run the sample newsroom even if there is a kawaraban.yaml')
    .addOption(
      new Option(
        '--role <roles>',
        'what this copy does, on the distributed engine: web, timeline, worker, scheduler or all; several with commas or by repeating it',
      ).argParser((word, before?: readonly string[]) => [...(before ?? []), word]),
    )
    .action(
      action(parts, async (terminal, options: StartOptions) => {
        const stopping = new Stopping(terminal, { withinMs: LEAST_STOP });
        await using stack = new AsyncDisposableStack();
        stack.defer(() => {
          if (stopping.signal.aborted) terminal.note('Stopped. The next start goes on from here.');
        });
        stack.use(stopping);
        try {
          const sample = stack.use(wantsSample(parts.house, options) ? await sampleOf(parts.house) : null);
          const config = await openConfig(parts.house, sample?.path ?? options.config);
          stopping.within(longestStop(config));
          const roles = await rolesOf(options, parts.house, config);
          const { occupy } = await import('../../app/occupy.ts');
          stack.use(occupy(config, 'a newsroom'));
          const { telemetryOf } = await import('../../app/telemetry.ts');
          const telemetry = stack.use(await telemetryOf(config, version()));
          const app = stack.use(
            await appOf(config, telemetry, {
              sample: sample !== null,
              roles,
              signal: stopping.signal,
            }),
          );
          const serving = stack.use(await app.serve());
          const owner = roles.has('web') ? await app.signing.accounts.ownerLink() : null;
          const welcome = owner === null ? null : app.welcomeAddress(owner.token, serving.url);
          if (options.json)
            terminal.json({
              started: true,
              sample: sample !== null,
              url: serving.url,
              ...(serving.grpc !== null && { grpc: serving.grpc }),
              welcome,
              roles: [...roles],
              pipelines: [...app.pipelines.keys()],
            });
          else await tell(terminal, app, config, { serving, welcome, sample, roles });
          if (!stopping.signal.aborted) await app.keepGoing(stopping.signal);
          await stopped(stopping.signal);
          return EXIT.ok;
        } catch (error) {
          // Stopped while the start waited for somebody.
          if (stopping.signal.aborted && error === stopping.signal.reason) return EXIT.ok;
          throw error;
        }
      }),
    );
}

/** Requests end, streams are sent elsewhere, and then there is a moment for the rest. */
function longestStop({ server, timelines }: Config): number {
  return Math.max(LEAST_STOP, server.stopWithin + timelines.stream.drain + 2000);
}

async function rolesOf({ role }: StartOptions, house: House, config: Config): Promise<Roles> {
  const { readRoles } = await import('../../app/roles.ts');
  const read = readRoles(role ?? [house.env.KAWARABAN_ROLE ?? ''], config.engine.kind);
  if (read.ok) return read.roles;
  throw new RefusalError(read.why, EXIT.usage);
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

interface Started {
  readonly serving: Serving;
  /** The owner's way in, while there is no owner. */
  readonly welcome: string | null;
  readonly sample: SampleNewsroom | null;
  readonly roles: Roles;
}

async function tell(
  terminal: Terminal,
  app: App,
  config: Config,
  { serving, welcome, sample, roles }: Started,
): Promise<void> {
  const bold = (text: string): string => terminal.style('bold', text);
  const statuses = await app.newsroom.pipelines('owner');
  terminal.out(
    bold(sample !== null ? '瓦版 Kawaraban: the sample newsroom is running' : '瓦版 Kawaraban is running'),
  );
  const { url, grpc } = serving;
  terminal.out(
    `  ${roles.has('web') ? 'Page  ' : 'Health'}     ${bold(roles.has('web') ? url : `${url}/readyz`)}`,
  );
  if (welcome !== null)
    terminal.out(`  Welcome    ${bold(welcome)}\n             makes you the owner; good once, for a day`);
  if (grpc !== null) terminal.out(`  gRPC       ${bold(grpc)}`);
  if (config.engine.kind === 'distributed') terminal.out(`  Roles      ${[...roles].join(', ')}`);
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
