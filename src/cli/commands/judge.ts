import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { JudgeTrial } from '../../app/judging.ts';
import type { App } from '../../app.ts';
import type { Judgement } from '../../judge/judge.ts';
import { formatDuration } from '../../time/duration.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelineNamed } from '../find-item.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../width.ts';
import { withApp } from '../with-app.ts';
import { countWords, dollarWords, plainWords } from '../words.ts';

interface TryOptions extends EveryOption {
  readonly pipeline?: string;
}

type Trial = Extract<JudgeTrial, { outcome: 'tried' }>;

/** `judge try <url|file>`. */
export function judgeCommand(parts: CommandParts): Command {
  return commandNamed('judge', 'put one article before a judge by hand (try)')
    .helpCommand(false)
    .addCommand(tryCommand(parts));
}

function tryCommand(parts: CommandParts): Command {
  return commandNamed('try', 'show verdict, topics, summary, tokens, cost and time for one article')
    .argument('<target>', 'address of a page, or a text or HTML file')
    .option('-p, --pipeline <id>', 'by the interests and the judge of this pipeline')
    .action(
      action(parts, (terminal, options: TryOptions, target: string) =>
        withApp(parts.house, options, async (app) => {
          const pipeline = askingPipeline(app, options.pipeline);
          const what = /^https?:\/\//i.test(target) ? target : resolve(parts.house.cwd, target);
          const stopping = new Stopping(terminal);
          try {
            const trial = await app.judging.try(what, pipeline, stopping.signal);
            if (trial.outcome === 'unreadable') throw new RefusalError(trial.detail, EXIT.notFound);
            if (options.json) terminal.json(trial);
            else tell(terminal, trial);
            return answered(trial) ? EXIT.ok : EXIT.unavailable;
          } finally {
            stopping[Symbol.dispose]();
          }
        }),
      ),
    );
}

/** The one named, or the only one that asks a judge. */
function askingPipeline(app: App, named: string | undefined): string {
  const { judging } = app;
  if (named !== undefined) {
    pipelineNamed(app, named);
    if (judging.pipelines.includes(named)) return named;
    throw new RefusalError(`the pipeline \`${named}\` asks no judge`, EXIT.usage);
  }
  const [only, another] = judging.pipelines;
  if (only === undefined) throw new RefusalError('no pipeline here asks a judge', EXIT.notFound);
  if (another !== undefined)
    throw new RefusalError(
      `by whose interests? Add --pipeline and one of ${judging.pipelines.join(', ')}`,
      EXIT.usage,
    );
  return only;
}

function answered({ trial }: Trial): boolean {
  return [trial.evaluation, trial.screening, trial.summary].every((answer) => answer?.outcome !== 'later');
}

function tell(terminal: Terminal, { judge, pipeline, trial }: Trial): void {
  const { article, evaluation, screening, summary, usage } = trial;
  const line = (name: string, words: string): void => terminal.out(`${name.padEnd(10)} ${harmless(words)}`);
  terminal.out(terminal.style('bold', harmless(article.title)));
  line('Address', article.url);
  line(
    'Text',
    `${countWords(article.characters, 'character')}, about ${countWords(article.tokens, 'token')}`,
  );
  if (evaluation !== null) {
    line(
      'Verdict',
      said(evaluation, ({ score, reason }) => `${score} of 100: ${reason}`),
    );
    line(
      'Topics',
      said(evaluation, ({ topics }) => topics.join(', ') || 'none'),
    );
    line(
      'In short',
      said(evaluation, (value) => value.summary),
    );
  }
  line(
    'Screening',
    said(screening, ({ decision, reason }) => `${plainWords(decision)}: ${reason}`),
  );
  line(
    'Summary',
    said(summary, ({ text }) => text),
  );
  line('By', `${judge}${byWords([evaluation, screening, summary])}, as ${pipeline} asks it`);
  line(
    'Used',
    `${countWords(usage.calls, 'call')}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${dollarWords(usage.microUsd)}, in ${formatDuration(usage.ms)}`,
  );
  terminal.note('Nothing was recorded, and nothing was sent.');
}

function said<T>(judgement: Judgement<T>, words: (value: T) => string): string {
  if (judgement.outcome === 'judged') return words(judgement.value);
  return `${judgement.outcome === 'later' ? 'no answer now' : 'cannot be judged'}: ${plainWords(judgement.why)} (${judgement.detail})`;
}

function byWords(judgements: readonly (Judgement<unknown> | null)[]): string {
  const by = judgements.find((each) => each?.outcome === 'judged');
  if (by?.outcome !== 'judged') return '';
  const { model, promptVersion, provisional } = by.by;
  return ` (model ${model}, prompt ${promptVersion}${provisional ? ', a stand-in' : ''})`;
}
