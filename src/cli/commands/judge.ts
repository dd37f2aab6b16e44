import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { Judgement } from '../../judge/judge.ts';
import type { JudgeTrial, RejudgePreview } from '../../pipelines/judge-inspector.ts';
import type { InterestsReport } from '../../pipelines/suggest-aliases.ts';
import { formatDuration } from '../../time/duration.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, formatDollars, formatName, formatTable, sanitise } from '../format.ts';
import { findPipeline, selectPipelines } from '../lookup.ts';
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

interface DiffOptions extends GlobalOptions {
  readonly pipeline?: string;
}

type Change = NonNullable<RejudgePreview['changes'][number]['change']>;

/** `interests diff` and `interests suggest`. */
export function interestsCommand(deps: CommandDependencies): Command {
  return defineCommand('interests', 'show the effect of a change of your interests, and proposals of aliases')
    .helpCommand(false)
    .addCommand(diffCommand(deps))
    .addCommand(suggestCommand(deps));
}

function suggestCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'suggest',
    'propose aliases from the words that accompany an interest in your articles',
  )
    .option('-p, --pipeline <id>', 'only for this pipeline')
    .action(
      action(deps, (terminal, options: DiffOptions) =>
        withAppForReading(deps.context, options, async (app) => {
          const reports: InterestsReport[] = [];
          for (const { id } of selectPipelines(app, options.pipeline)) {
            const report = await app.judgeInspector.interests(id);
            if (report !== null) reports.push(report);
          }
          if (reports.length === 0) throw withoutInterests(options.pipeline);
          if (options.json) terminal.json(reports);
          else for (const report of reports) printProposals(terminal, report);
          return EXIT.ok;
        }),
      ),
    );
}

function withoutInterests(pipeline: string | undefined): CommandError {
  return new CommandError(
    pipeline === undefined
      ? 'no pipeline here has interests'
      : `the pipeline \`${pipeline}\` has no interests`,
    EXIT.usage,
  );
}

function printProposals(terminal: Terminal, { pipeline, items, interests }: InterestsReport): void {
  terminal.out(terminal.style('bold', `${pipeline}: ${formatCount(items, 'article')}`));
  for (const interest of interests) {
    const aliases =
      interest.aliases.length === 0 ? '' : `, also ${interest.aliases.map(sanitise).join(', ')}`;
    const words = interest.known ? 'has words of its own' : 'no words of its own';
    terminal.out(
      `${sanitise(interest.topic)}${aliases}: in ${formatCount(interest.items, 'article')}; ${words}`,
    );
    for (const { word, together, elsewhere } of interest.proposals) {
      terminal.out(`  ? ${sanitise(word)} (${together} with it, ${elsewhere} without)`);
    }
  }
  if (interests.some(({ proposals }) => proposals.length > 0)) {
    terminal.out(
      'These are proposals and do not count. To accept one, add it to the `aliases` of the interest in kawaraban.yaml. Nothing was changed.',
    );
  } else terminal.out('No proposals: no unknown interest has words that accompany it often enough.');
}

function diffCommand(deps: CommandDependencies): Command {
  return defineCommand('diff', 'show which items the changed interests would re-evaluate')
    .option('-p, --pipeline <id>', 'only for this pipeline')
    .action(
      action(deps, (terminal, options: DiffOptions) =>
        withAppForReading(deps.context, options, async (app) => {
          const previews: RejudgePreview[] = [];
          for (const { id } of selectPipelines(app, options.pipeline)) {
            const preview = await app.judgeInspector.previewRejudging(id);
            if (preview !== null) previews.push(preview);
          }
          if (previews.length === 0) throw withoutInterests(options.pipeline);
          if (options.json) terminal.json(previews.map(rejudgePreviewToJson));
          else for (const preview of previews) printChanges(terminal, preview, previews.length > 1);
          return EXIT.ok;
        }),
      ),
    );
}

function rejudgePreviewToJson({ rejudge, ...preview }: RejudgePreview): object {
  return {
    ...preview,
    rejudge: rejudge.map(({ item: { key, title, state, verdict }, why }) => ({
      key,
      title,
      state,
      score: verdict?.score ?? null,
      topics: verdict?.topics ?? [],
      why,
    })),
  };
}

function printChanges(terminal: Terminal, preview: RejudgePreview, several: boolean): void {
  const { pipeline, changes, rejudge, keep, mostPerRun } = preview;
  if (several) terminal.out(terminal.style('bold', `\n${pipeline}`));
  if (rejudge.length === 0) {
    terminal.out(`Nothing would be re-evaluated: ${formatCount(keep, 'verdict')} of ${pipeline} stay valid.`);
    return;
  }
  for (const { change } of changes) {
    if (change === null) terminal.out('Some verdicts were made under interests that are no longer known.');
    else for (const line of changeWords(change)) terminal.out(line);
  }
  terminal.out(
    `\n${formatTable(
      rejudge,
      [
        { title: 'Now', value: ({ item }) => item.state },
        { title: 'Score', value: ({ item }) => String(item.verdict?.score ?? '–'), align: 'right' },
        { title: 'Title', value: ({ item }) => item.title, shrinks: true },
        { title: 'Why', value: ({ why }) => why, shrinks: true },
      ],
      terminal.width,
      (title) => terminal.style('dim', title),
    )}`,
  );
  terminal.out(
    `${formatCount(rejudge.length, 'item')} would be re-evaluated in the next run${rejudge.length > mostPerRun ? ` and the ones after it (at most ${mostPerRun} each)` : ''}; ${formatCount(keep, 'verdict')} stay valid. Nothing was changed.`,
  );
}

function changeWords({ added, removed, changed }: Change): string[] {
  return [
    ...added.map(({ topic, priority }) => `+ ${topic} (${priority})`),
    ...removed.map(({ topic }) => `- ${topic}`),
    ...changed.map(({ before, after, newAliases, lostAliases }) => {
      const words = [
        ...(before.priority === after.priority ? [] : [`${after.priority} instead of ${before.priority}`]),
        ...newAliases.map((alias) => `also “${alias}”`),
        ...lostAliases.map((alias) => `no longer “${alias}”`),
      ];
      return `~ ${after.topic}: ${words.join(', ')}`;
    }),
  ];
}
