import type { Config } from '../config/config.ts';
import { formatProblem, type Problem } from '../config/problems.ts';
import { CommandError, EXIT } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Fails if the key of the judge that this pipeline asks is missing. */
export function requireJudgeKey(config: Config, pipeline: string, missing: readonly Problem[]): void {
  const judge = judgeOf(config, pipeline);
  const key = missing.find(({ path }) => judge !== null && path.startsWith(`judges.${judge}.`));
  if (key !== undefined) throw new CommandError(formatProblem(key), EXIT.badConfig);
}

function judgeOf({ pipelines }: Config, id: string): string | null {
  const pipeline = pipelines[id];
  if (pipeline === undefined) return null;
  if (pipeline.kind !== 'process') return pipeline.judge;
  return pipeline.processor.kind === 'builtin' ? pipeline.processor.judge : null;
}

/** Lists the secrets that this command did not need and `start` does. */
export function noteMissingSecrets(terminal: Terminal, missing: readonly Problem[]): void {
  if (missing.length === 0) return;
  terminal.note('\nMissing secrets, which `start` and `run` need:');
  for (const problem of missing) terminal.note(`  ${formatProblem(problem)}`);
}
