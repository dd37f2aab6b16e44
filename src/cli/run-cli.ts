import { type Command, CommanderError } from 'commander';
import { maskSecrets } from '../telemetry/secrets.ts';
import type { Ending } from './command.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { buildProgram } from './program.ts';
import type { House } from './terminal.ts';
import { failuresOf, troubleOf } from './trouble.ts';

/** Runs one command line to its end and answers the exit code. What goes wrong is told in one sentence. */
export async function runCli(args: readonly string[], house: House): Promise<ExitCode> {
  const ending: Ending = { exitCode: EXIT.ok };
  const program = buildProgram({ house, ending });
  speakThrough(program, house);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ending.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { sentence, exitCode } = troubleOf(error);
    house.stderr.write(maskSecrets(`kawaraban: ${sentence}\n`));
    if (house.env.KAWARABAN_DEBUG === '1')
      house.stderr.write(maskSecrets(`${failuresOf(error).map(stackOf).join('\n')}\n`));
    return exitCode;
  }
}

/** Commander writes to the house's streams and throws instead of ending the process, in every command. */
function speakThrough(command: Command, house: House): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => house.stdout.write(text),
    writeErr: (text) => house.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error: /, 'kawaraban: ')),
    getOutHelpWidth: () => Math.min(110, house.stdout.columns ?? 110),
    getErrHelpWidth: () => Math.min(110, house.stderr.columns ?? 110),
  });
  for (const below of command.commands) speakThrough(below, house);
}

function stackOf(error: unknown): string {
  return error instanceof Error
    ? `${error.stack ?? error.message}${error.cause ? `\ncaused by ${stackOf(error.cause)}` : ''}`
    : String(error);
}
