import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { Judgement } from '../../judge/judge.ts';
import type { JudgeTrial } from '../../pipelines/judge-inspector.ts';
import { formatDuration } from '../../time/duration.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, formatDollars, formatName, sanitise } from '../format.ts';
import { findPipeline } from '../lookup.ts';
import { requireJudgeKey } from '../missing-secrets.ts';
import { ShutdownSignal } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';

interface TryOptions extends GlobalOptions {
  readonly pipeline?: string;
}

type Trial = Extract<JudgeTrial, { outcome: 'tried' }>;

/** `judge try <url|file>`. */
export function judgeCommand(deps: CommandDependencies): Command {
  return defineCommand('judge', 'judge one article manually (try)')
    .helpCommand(false)
    .addCommand(tryCommand(deps));
}

function tryCommand(deps: CommandDependencies): Command {
  return defineCommand('try', 'show verdict, topics, summary, tokens, cost and time for one article')
    .argument('<target>', 'address of a page, or a text or HTML file')
    .option('-p, --pipeline <id>', 'by the interests and the judge of this pipeline')
    .action(
      action(deps, (terminal, options: TryOptions, target: string) =>
        withAppForReading(deps.context, options, async (app, missing) => {
          const pipeline = askingPipeline(app, options.pipeline);
          requireJudgeKey(app.config, pipeline, missing);
          const what = /^https?:\/\//i.test(target) ? target : resolve(deps.context.cwd, target);
          const stopping = new ShutdownSignal(terminal);
          try {
            const trial = await app.judgeInspector.try(what, pipeline, stopping.signal);
            if (trial.outcome === 'unreadable') throw new CommandError(trial.detail, EXIT.notFound);
            if (options.json) terminal.json(trial);
            else printTrial(terminal, trial);
            return answered(trial) ? EXIT.ok : EXIT.unavailable;
          } finally {
            stopping[Symbol.dispose]();
          }
        }),
      ),
    );
}

/** The named pipeline, or the only one with a judge. */
function askingPipeline(app: App, named: string | undefined): string {
  const { judgeInspector } = app;
  if (named !== undefined) {
    findPipeline(app, named);
    if (judgeInspector.pipelines.includes(named)) return named;
    throw new CommandError(`the pipeline \`${named}\` has no judge`, EXIT.usage);
  }
  const [only, another] = judgeInspector.pipelines;
  if (only === undefined) throw new CommandError('no pipeline here has a judge', EXIT.notFound);
  if (another !== undefined)
    throw new CommandError(
      `several pipelines have a judge: add --pipeline and one of ${judgeInspector.pipelines.join(', ')}`,
      EXIT.usage,
    );
  return only;
}

function answered({ trial }: Trial): boolean {
  return [trial.evaluation, trial.screening, trial.summary].every((answer) => answer?.outcome !== 'later');
}

function printTrial(terminal: Terminal, { judge, pipeline, trial }: Trial): void {
  const { article, evaluation, screening, summary, usage } = trial;
  const line = (name: string, words: string): void => terminal.out(`${name.padEnd(10)} ${sanitise(words)}`);
  terminal.out(terminal.style('bold', sanitise(article.title)));
  line('Address', article.url);
  line(
    'Text',
    `${formatCount(article.characters, 'character')}, about ${formatCount(article.tokens, 'token')}`,
  );
  if (evaluation !== null) {
    line(
      'Verdict',
      answerText(evaluation, ({ score, reason }) => `${score} of 100: ${reason}`),
    );
    line(
      'Topics',
      answerText(evaluation, ({ topics }) => topics.join(', ') || 'none'),
    );
    line(
      'In short',
      answerText(evaluation, (value) => value.summary),
    );
  }
  line(
    'Screening',
    answerText(screening, ({ decision, reason }) => `${formatName(decision)}: ${reason}`),
  );
  line(
    'Summary',
    answerText(summary, ({ text }) => text),
  );
  line('By', `${judge}${byWords([evaluation, screening, summary])}, for the pipeline ${pipeline}`);
  line(
    'Used',
    `${formatCount(usage.calls, 'call')}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${formatDollars(usage.microUsd)}, in ${formatDuration(usage.ms)}`,
  );
  terminal.note('Nothing was recorded, and nothing was sent.');
}

function answerText<T>(judgement: Judgement<T>, words: (value: T) => string): string {
  if (judgement.outcome === 'judged') return words(judgement.value);
  return `${judgement.outcome === 'later' ? 'no answer at the moment' : 'cannot be judged'}: ${formatName(judgement.why)} (${judgement.detail})`;
}

function byWords(judgements: readonly (Judgement<unknown> | null)[]): string {
  const by = judgements.find((each) => each?.outcome === 'judged');
  if (by?.outcome !== 'judged') return '';
  const { model, promptVersion, provisional } = by.by;
  return ` (model ${model}, prompt ${promptVersion}${provisional ? ', fallback' : ''})`;
}
