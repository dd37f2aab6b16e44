import { Command, CommanderError } from 'commander';
import { programVersion } from '../assets/assets.ts';
import { OVERRIDES } from '../config/overrides.ts';
import { suggestion } from '../config/problems.ts';
import { maskSecrets } from '../telemetry/secrets.ts';
import {
  action,
  type CommandDependencies,
  type CommandResult,
  defineCommand,
  withGlobalOptions,
} from './command.ts';
import { configCommand, indexesCommand } from './commands/config.ts';
import { parkCommand, resolveCommand, retryCommand } from './commands/decisions.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand, importCommand } from './commands/import-export.ts';
import { initCommand } from './commands/init.ts';
import { interestsCommand } from './commands/interests.ts';
import { explainCommand, itemsCommand } from './commands/items.ts';
import { judgeCommand } from './commands/judge.ts';
import { backupCommand, restoreCommand, sweepCommand } from './commands/maintenance.ts';
import { peopleCommand } from './commands/people.ts';
import { pressCommand } from './commands/press.ts';
import { runCommand } from './commands/run.ts';
import { simulatorCommand } from './commands/simulator.ts';
import { sourcesCommand } from './commands/sources.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { storiesCommand } from './commands/stories.ts';
import { dropCommand, timelineCommand } from './commands/timeline.ts';
import { tokensCommand } from './commands/tokens.ts';
import { upgradeCheckCommand } from './commands/upgrade-check.ts';
import { usersCommand } from './commands/users.ts';
import { CommandError, describeError, EXIT, EXIT_DESCRIPTIONS, type ExitCode, failuresOf } from './errors.ts';
import { captureProcessOutput, jsonLine, wantsJsonLines, withJsonLines } from './json-lines.ts';
import type { CliContext } from './terminal.ts';

/** The whole command line; commands in the order of first use. */
export function buildProgram(deps: CommandDependencies): Command {
  const program = new Command('kawaraban')
    .description(
      'A newsroom of your own: follows sources, keeps what matters, and publishes it exactly once.',
    )
    .usage('<command> [options]')
    .version(programVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command, as in: kawaraban run --help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .showHelpAfterError('See kawaraban --help.')
    .addHelpText('after', `\n${HELP_FOOTER}`);
  const group = (title: string, ...commands: Command[]): void => {
    for (const command of commands) program.addCommand(withGlobalOptions(command).helpGroup(title));
  };
  group('Setting up:', initCommand(deps), configCommand(deps), doctorCommand(deps), indexesCommand(deps));
  group('Sources:', sourcesCommand(deps), importCommand(deps));
  group('Running:', startCommand(deps), runCommand(deps), sweepCommand(deps));
  group(
    'Trying out:',
    judgeCommand(deps),
    interestsCommand(deps),
    pressCommand(deps),
    simulatorCommand(deps),
  );
  group(
    'Inspecting:',
    statusCommand(deps),
    itemsCommand(deps),
    explainCommand(deps),
    exportCommand(deps),
    storiesCommand(deps),
  );
  group('Accounts:', peopleCommand(deps), tokensCommand(deps));
  group('Decisions:', retryCommand(deps), parkCommand(deps), resolveCommand(deps));
  group('Timelines:', usersCommand(deps), dropCommand(deps), timelineCommand(deps));
  group('Backup and upgrade:', backupCommand(deps), restoreCommand(deps), upgradeCheckCommand(deps));
  program.addCommand(helpCommand(program, deps).helpGroup('Help:'));
  return program;
}

/** `help [command …]`: the same as `--help`, for people who try it this way. */
function helpCommand(program: Command, deps: CommandDependencies): Command {
  return defineCommand('help', 'explain a command, as in: kawaraban help sources add')
    .argument('[command...]', 'the command; without it, all of them are listed')
    .action(
      action(deps, async (_terminal, _options, path: readonly string[]) => {
        let found = program;
        for (const name of path) {
          const next = found.commands.find((command) => command.name() === name);
          if (next === undefined)
            throw new CommandError(
              `there is no command \`${name}\`: ${suggestion(
                name,
                found.commands.map((command) => command.name()),
              )}`,
              EXIT.usage,
            );
          found = next;
        }
        found.outputHelp();
        return EXIT.ok;
      }),
    );
}

const ENVIRONMENT = [
  { name: 'KAWARABAN_CONFIG', words: 'the configuration, instead of ./kawaraban.yaml' },
  ...OVERRIDES,
  { name: 'KAWARABAN_ROLE', words: 'roles of `start`, instead of --role' },
  { name: 'KAWARABAN_SIMULATOR_PORT', words: 'first port of the simulator (8090)' },
  { name: 'KAWARABAN_DEBUG', words: '1 prints stack traces' },
  { name: 'NO_COLOR', words: '1 disables colours' },
];

const HELP_FOOTER = `Try this first, without any set-up:
  kawaraban start          without a kawaraban.yaml: a sample newsroom on a simulated internet

Then make your own:
  kawaraban init           writes a commented kawaraban.yaml from one of six recipes
  kawaraban config check   lists every problem in it, with what to write instead
  kawaraban start          runs it

Environment:
${ENVIRONMENT.map(({ name, words }) => `  ${name.padEnd(24)} ${words}`).join('\n')}

Exit codes:
${Object.entries(EXIT_DESCRIPTIONS)
  .map(([code, words]) => `  ${code.padStart(3)}  ${words}`)
  .join('\n')}`;

/** Runs one command line and returns the exit code. An error is printed as one sentence. */
export async function runCli(args: readonly string[], given: CliContext): Promise<ExitCode> {
  const asJson = await wantsJsonLines(args, given);
  const context = asJson ? withJsonLines(given) : given;
  if (asJson && given.stderr === process.stderr) captureProcessOutput();
  const result: CommandResult = { exitCode: EXIT.ok };
  const program = buildProgram({ context, result });
  redirectOutput(program, context, asJson);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return result.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { sentence, exitCode } = describeError(error);
    const stack = context.env.KAWARABAN_DEBUG === '1' ? failuresOf(error).map(stackOf).join('\n') : undefined;
    if (asJson) context.stderr.write(maskSecrets(jsonLine('error', sentence, { exitCode, stack })));
    else {
      context.stderr.write(maskSecrets(`kawaraban: ${sentence}\n`));
      if (stack !== undefined) context.stderr.write(maskSecrets(`${stack}\n`));
    }
    return exitCode;
  }
}

/** Makes Commander write to the streams of the context and throw instead of exiting, in every command. */
function redirectOutput(command: Command, context: CliContext, asJson: boolean): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => context.stdout.write(text),
    writeErr: (text) => context.stderr.write(text),
    outputError: (text, write) =>
      write(
        asJson ? jsonLine('error', text.replace(/^error: /, '')) : text.replace(/^error: /, 'kawaraban: '),
      ),
    getOutHelpWidth: () => Math.min(110, context.stdout.columns ?? 110),
    getErrHelpWidth: () => Math.min(110, context.stderr.columns ?? 110),
  });
  for (const subcommand of command.commands) redirectOutput(subcommand, context, asJson);
}

function stackOf(error: unknown): string {
  return error instanceof Error
    ? `${error.stack ?? error.message}${error.cause ? `\ncaused by ${stackOf(error.cause)}` : ''}`
    : String(error);
}
