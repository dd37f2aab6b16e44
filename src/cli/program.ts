import { Command } from 'commander';
import { OVERRIDES } from '../config/overrides.ts';
import { type CommandParts, withEveryOption } from './command.ts';
import { backupCommand, restoreCommand } from './commands/backup.ts';
import { configCommand } from './commands/config.ts';
import { parkCommand, resolveCommand, retryCommand } from './commands/decisions.ts';
import { doctorCommand } from './commands/doctor.ts';
import { dropCommand } from './commands/drop.ts';
import { explainCommand } from './commands/explain.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { indexesCommand } from './commands/indexes.ts';
import { initCommand } from './commands/init.ts';
import { interestsCommand } from './commands/interests.ts';
import { itemsCommand } from './commands/items.ts';
import { judgeCommand } from './commands/judge.ts';
import { peopleCommand } from './commands/people.ts';
import { pressCommand } from './commands/press.ts';
import { runCommand } from './commands/run.ts';
import { sourcesCommand } from './commands/sources.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { storiesCommand } from './commands/stories.ts';
import { sweepCommand } from './commands/sweep.ts';
import { timelineCommand } from './commands/timeline.ts';
import { tokensCommand } from './commands/tokens.ts';
import { usersCommand } from './commands/users.ts';
import { EXIT_WORDS } from './exit-codes.ts';
import { version } from './with-app.ts';

/** The whole command line, in the order in which a person meets it. */
export function buildProgram(parts: CommandParts): Command {
  const program = new Command('kawaraban')
    .description('A newsroom of your own: it follows sources, keeps what matters, and says it once.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command, as in: kawaraban run --help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .showHelpAfterError('See kawaraban --help.')
    .addHelpText('after', `\n${AFTER}`);
  const group = (title: string, ...commands: Command[]): void => {
    for (const command of commands) program.addCommand(withEveryOption(command).helpGroup(title));
  };
  group('Setting up:', initCommand(parts), configCommand(parts), doctorCommand(parts), indexesCommand(parts));
  group('Sources:', sourcesCommand(parts), importCommand(parts));
  group('Running:', startCommand(parts), runCommand(parts), sweepCommand(parts));
  group('Trying out:', judgeCommand(parts), interestsCommand(parts), pressCommand(parts));
  group(
    'Looking:',
    statusCommand(parts),
    itemsCommand(parts),
    explainCommand(parts),
    exportCommand(parts),
    storiesCommand(parts),
  );
  group('People:', peopleCommand(parts), tokensCommand(parts));
  group('Deciding:', retryCommand(parts), parkCommand(parts), resolveCommand(parts));
  group('Timelines:', usersCommand(parts), dropCommand(parts), timelineCommand(parts));
  group('Keeping:', backupCommand(parts), restoreCommand(parts));
  return program;
}

const ENVIRONMENT = [
  { name: 'KAWARABAN_CONFIG', words: 'the configuration, instead of ./kawaraban.yaml' },
  ...OVERRIDES,
  { name: 'KAWARABAN_ROLE', words: 'roles of `start`, instead of --role' },
  { name: 'KAWARABAN_SIMULATOR_PORT', words: 'first port of the sample’s simulated internet (8090)' },
  { name: 'KAWARABAN_DEBUG', words: '1 shows where an error came from' },
  { name: 'NO_COLOR', words: '1 switches colours off' },
];

const AFTER = `Try this first, without any set-up:
  kawaraban start          without a kawaraban.yaml: a sample newsroom on a simulated internet

Then make your own:
  kawaraban init           writes a commented kawaraban.yaml from one of five recipes
  kawaraban config check   lists every problem in it, with what to write instead
  kawaraban start          runs it

Environment:
${ENVIRONMENT.map(({ name, words }) => `  ${name.padEnd(24)} ${words}`).join('\n')}

Exit codes:
${Object.entries(EXIT_WORDS)
  .map(([code, words]) => `  ${code.padStart(3)}  ${words}`)
  .join('\n')}`;
