import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { RunningServers } from '../../app/serve.ts';
import { programVersion } from '../../assets/assets.ts';
import type { Config } from '../../config/config.ts';
import type { Roles } from '../../scheduler/roles.ts';
import { systemClock } from '../../time/clock.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, loadApp } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configPath, openConfig, writeFileAtomically } from '../files.ts';
import { formatCount, formatRelativeTime } from '../format.ts';
import { jsonLine } from '../json-lines.ts';
import { RECIPES, recipeNamed, recipeText } from '../recipes.ts';
import type { SampleNewsroom } from '../sample-newsroom.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { reportToSystemd } from '../systemd.ts';
import type { CliContext, Terminal } from '../terminal.ts';

/** Supervisors usually wait ten seconds; longer times in the configuration need a longer timeout there too. */
const MIN_STOP_TIMEOUT_MS = 9000;

interface StartOptions extends GlobalOptions {
  readonly sample?: boolean;
  readonly recipe?: string;
  readonly role?: readonly string[];
}

/** `start`: runs the newsroom until it is stopped. */
export function startCommand(deps: CommandDependencies): Command {
  return defineCommand('start', 'run the newsroom until Ctrl-C; without a kawaraban.yaml, a sample')
    .option('--sample', 'run the sample newsroom even if there is a kawaraban.yaml')
    .addOption(
      new Option(
        '--recipe <name>',
        `without a kawaraban.yaml: write one from this recipe first; one of ${RECIPES.map(({ name }) => name).join(', ')}`,
      ).conflicts('sample'),
    )
    .addOption(
      new Option(
        '--role <roles>',
        'what this replica does, on the distributed engine: web, timeline, worker, scheduler or all; several with commas or by repeating it',
      ).argParser((word, before?: readonly string[]) => [...(before ?? []), word]),
    )
    .action(
      action(deps, async (terminal, options: StartOptions) => {
        const stopping = new ShutdownSignal(terminal, { withinMs: MIN_STOP_TIMEOUT_MS });
        const stack = new AsyncDisposableStack();
        stack.defer(() => {
          if (stopping.signal.aborted) terminal.note('Stopped. The next start continues from here.');
        });
        stack.use(stopping);
        try {
          if (options.recipe !== undefined) await writeFirstConfig(deps.context, options);
          const sample = stack.use(wantsSample(deps.context, options) ? await sampleOf(deps.context) : null);
          const config = await openConfig(deps.context, sample?.path ?? options.config);
          stopping.setGracePeriod(stopTimeoutMs(config));
          const roles = await rolesOf(options, deps.context, config);
          const { lockDataFolder } = await import('../../app/maintenance.ts');
          stack.use(lockDataFolder(config, 'a newsroom'));
          const { openConfiguredTelemetry } = await import('../../telemetry/telemetry.ts');
          const asJson = options.json === true || config.telemetry.logFormat === 'json';
          const log = asJson ? { ...config.telemetry, logFormat: 'json' as const } : config.telemetry;
          const telemetry = stack.use(
            await openConfiguredTelemetry({ ...config, telemetry: log }, programVersion()),
          );
          const app = stack.use(
            await loadApp(config, telemetry, {
              sample: sample !== null,
              roles,
              signal: stopping.signal,
            }),
          );
          const serving = stack.use(await app.serve());
          const owner = roles.has('web') ? await app.auth.accounts.ownerLink() : null;
          const welcome = owner === null ? null : app.oneTimeLinkUrl(owner.token, serving.url);
          if (asJson) reportStarted(terminal, app, { serving, welcome, sample, roles });
          else await printStarted(terminal, app, config, { serving, welcome, sample, roles });
          stack.use(
            reportToSystemd({
              env: deps.context.env,
              status: `Serving ${serving.url}`,
              liveness: () => app.newsroom.liveness?.() ?? { alive: true },
              clock: systemClock,
              log: telemetry.logger,
              signal: stopping.signal,
            }),
          );
          if (!stopping.signal.aborted) await app.run(stopping.signal);
          await stopped(stopping.signal);
          return EXIT.ok;
        } catch (error) {
          // Stopped while the start waited for a service.
          if (stopping.signal.aborted && error === stopping.signal.reason) return EXIT.ok;
          throw error;
        } finally {
          await stack.disposeAsync();
        }
      }),
    );
}

/** Time to finish requests and drain streams, and two seconds for everything else. */
function stopTimeoutMs({ server, timelines }: Config): number {
  return Math.max(MIN_STOP_TIMEOUT_MS, server.stopWithin + timelines.stream.drain + 2000);
}

async function rolesOf({ role }: StartOptions, context: CliContext, config: Config): Promise<Roles> {
  const { parseRoles } = await import('../../scheduler/roles.ts');
  const parsed = parseRoles(role ?? [context.env.KAWARABAN_ROLE ?? ''], config.engine.kind);
  if (parsed.ok) return parsed.roles;
  throw new CommandError(parsed.why, EXIT.usage);
}

/** A newsroom without pipelines (timelines alone) still runs until it is stopped. */
async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function sampleOf(context: CliContext): Promise<SampleNewsroom> {
  const { startSample } = await import('../sample-newsroom.ts');
  // Preload these modules while the simulator starts.
  const [sample] = await Promise.all([
    startSample(context),
    import('../../app/app.ts'),
    import('../../config/config.ts'),
  ]);
  return sample;
}

function wantsSample(context: CliContext, options: StartOptions): boolean {
  if (options.sample) {
    if (options.config === undefined) return true;
    throw new CommandError('--sample and --config exclude each other: leave one of them out', EXIT.usage);
  }
  const named = options.config ?? context.env.KAWARABAN_CONFIG;
  return named === undefined && !existsSync(configPath(context, undefined));
}

/** The first start writes the configuration; later ones find it. */
async function writeFirstConfig(context: CliContext, { recipe = '', config }: StartOptions): Promise<void> {
  const { name } = recipeNamed(recipe);
  const path = configPath(context, config);
  if (existsSync(path)) return;
  await writeFileAtomically(path, recipeText(name, dirname(path)));
}

interface Started {
  readonly serving: RunningServers;
  /** Sign-in link of the owner, while there is no owner. */
  readonly welcome: string | null;
  readonly sample: SampleNewsroom | null;
  readonly roles: Roles;
}

/** For programs, and for logs: the link is printed whatever the level of the log. */
function reportStarted(terminal: Terminal, app: App, { serving, welcome, sample, roles }: Started): void {
  const { url, grpc } = serving;
  terminal.out(
    jsonLine('info', 'Kawaraban is running', {
      started: true,
      sample: sample !== null,
      url,
      ...(grpc !== null && { grpc }),
      welcome,
      roles: [...roles],
      pipelines: [...app.pipelines.keys()],
    }).trimEnd(),
  );
  if (welcome !== null)
    terminal.out(
      jsonLine('info', 'Link that makes you the owner; valid once, for a day', { url: welcome }).trimEnd(),
    );
}

async function printStarted(
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
    terminal.out(`  Welcome    ${bold(welcome)}\n             makes you the owner; valid once, for a day`);
  if (grpc !== null) terminal.out(`  gRPC       ${bold(grpc)}`);
  if (config.engine.kind === 'distributed') terminal.out(`  Roles      ${[...roles].join(', ')}`);
  for (const { id, kind, sources, destinations, nextRunAt } of statuses)
    terminal.out(
      `  Pipeline   ${id} (${kind}): ${formatCount(sources.length, 'source')} → ${destinations.join(', ')}; next run ${formatRelativeTime(nextRunAt, Date.now())}`,
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
