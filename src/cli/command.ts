import { Command, Option } from 'commander';
import type { App, AppOptions } from '../app/app.ts';
import { programVersion } from '../assets/assets.ts';
import type { Config } from '../config/config.ts';
import type { Problem } from '../config/problems.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { EXIT, type ExitCode } from './errors.ts';
import { loadCheckedConfig, openConfig } from './files.ts';
import { type CliContext, Terminal } from './terminal.ts';

/** Options that every command has. */
export interface GlobalOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** Exit code of the last command. */
export interface CommandResult {
  exitCode: ExitCode;
}

/** Collaborators of every command. */
export interface CommandDependencies {
  readonly context: CliContext;
  readonly result: CommandResult;
}

/** A command; `words` is its line in the list of commands, and the first sentence of its own help. */
export function defineCommand(name: string, words: string): Command {
  return new Command(name)
    .summary(words)
    .description(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`)
    .helpOption('-h, --help', 'explain this command');
}

/** Adds the global options, listed after the command's own. */
export function withGlobalOptions(command: Command): Command {
  for (const subcommand of command.commands) withGlobalOptions(subcommand);
  if (command.commands.length > 0) return command;
  return command
    .addOption(new Option('-c, --config <file>', 'the configuration (default: ./kawaraban.yaml)'))
    .addOption(new Option('--json', 'answer in JSON, for programs'))
    .addOption(new Option('--no-color', 'no colours (also: NO_COLOR=1)'));
}

/** Runs a command's work and records its exit code. */
export function action<Arguments extends unknown[], Options extends GlobalOptions>(
  deps: CommandDependencies,
  work: (terminal: Terminal, options: Options, ...args: Arguments) => Promise<ExitCode | undefined>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<Options>();
    const terminal = new Terminal(deps.context, options.color === undefined ? {} : { colour: options.color });
    deps.result.exitCode = (await work(terminal, options, ...(given.slice(0, -2) as Arguments))) ?? EXIT.ok;
  };
}

/** Opens the newsroom for one piece of work and always closes it. */
export async function withApp<Result>(
  context: CliContext,
  options: GlobalOptions,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  return withConfig(await openConfig(context, options.config), work);
}

/** Like `withApp`, for a command that needs only people, drops and timelines: these may be remote services, without any store. */
export async function withTimelines<Result>(
  context: CliContext,
  options: GlobalOptions,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  return withConfig(await openConfig(context, options.config), work, { roles: new Set(['timeline']) });
}

/**
 * Like `withApp`, for a command that sends nothing: the secrets of destinations, judges and sources may be missing, and
 * `missing` lists them.
 */
export async function withAppForReading<Result>(
  context: CliContext,
  options: GlobalOptions,
  work: (app: App, missing: readonly Problem[]) => Promise<Result>,
): Promise<Result> {
  const { config, missing } = await loadCheckedConfig(context, options.config, { secrets: 'optional' });
  return withConfig(config, (app) => work(app, missing));
}

async function withConfig<Result>(
  config: Config,
  work: (app: App) => Promise<Result>,
  options: Pick<AppOptions, 'roles'> = {},
): Promise<Result> {
  const app = await loadApp(config, undefined, options);
  try {
    return await work(app);
  } finally {
    await app[Symbol.asyncDispose]();
  }
}

/** Loads the application on demand: most commands do not need it. */
export async function loadApp(
  config: Config,
  telemetry?: Telemetry,
  options: Pick<AppOptions, 'sample' | 'roles' | 'signal'> = {},
): Promise<App> {
  const [{ openApp }, { silentTelemetry }] = await Promise.all([
    import('../app/app.ts'),
    import('../telemetry/telemetry.ts'),
  ]);
  return openApp(config, {
    telemetry: telemetry ?? silentTelemetry,
    version: programVersion(),
    ...options,
    longRunning: telemetry !== undefined,
  });
}
