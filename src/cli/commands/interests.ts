import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { suggestion } from '../../config/problems.ts';
import type { RejudgePreview } from '../../pipelines/judge-inspector.ts';
import type { AliasDecision, InterestWords } from '../../pipelines/live-interests.ts';
import type { InterestsReport } from '../../pipelines/suggest-aliases.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, formatTable, sanitise } from '../format.ts';
import { selectPipelines } from '../lookup.ts';
import type { Terminal } from '../terminal.ts';
import { personName } from './decisions.ts';

interface InterestOptions extends GlobalOptions {
  readonly pipeline?: string;
}

type Change = NonNullable<RejudgePreview['changes'][number]['change']>;

/** `interests list`, `suggest`, `accept`, `refuse`, `remove` and `diff`. */
export function interestsCommand(deps: CommandDependencies): Command {
  return defineCommand('interests', 'show your interests and proposals of aliases, and decide about aliases')
    .helpCommand(false)
    .addCommand(listCommand(deps))
    .addCommand(suggestCommand(deps))
    .addCommand(
      decideCommand(deps, {
        name: 'accept',
        about: 'add words to the aliases of an interest, proposed ones or others',
        decision: 'accepted',
        done: (word, topic) => `"${word}" is an alias of ${topic} from the next run on.`,
      }),
    )
    .addCommand(
      decideCommand(deps, {
        name: 'refuse',
        about: 'refuse proposals of aliases: they are not proposed any more',
        decision: 'refused',
        done: (word, topic) => `"${word}" is not proposed for ${topic} any more.`,
      }),
    )
    .addCommand(
      decideCommand(deps, {
        name: 'remove',
        about: 'remove added aliases of an interest, or let refused ones be proposed again',
        decision: 'none',
        done: (word, topic) => `"${word}" was removed from ${topic}; it can be proposed again.`,
      }),
    )
    .addCommand(diffCommand(deps));
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'show the interests in force, with the aliases that were added or refused')
    .option('-p, --pipeline <id>', 'only of this pipeline')
    .action(
      action(deps, (terminal, options: InterestOptions) =>
        withAppForReading(deps.context, options, async (app) => {
          const lists = await interestsOfPipelines(app, options.pipeline);
          if (options.json) terminal.json(lists);
          else for (const list of lists) printInterests(terminal, list);
          return EXIT.ok;
        }),
      ),
    );
}

interface PipelineInterests {
  readonly pipeline: string;
  readonly interests: readonly InterestWords[];
}

async function interestsOfPipelines(app: App, named: string | undefined): Promise<PipelineInterests[]> {
  const lists: PipelineInterests[] = [];
  for (const { id } of selectPipelines(app, named)) {
    const interests = await app.interests.report(id);
    if (interests !== null) lists.push({ pipeline: id, interests });
  }
  if (lists.length === 0) throw withoutInterests(named);
  return lists;
}

function printInterests(terminal: Terminal, { pipeline, interests }: PipelineInterests): void {
  terminal.out(terminal.style('bold', pipeline));
  for (const { topic, priority, aliases, added, refused } of interests) {
    terminal.out(`${sanitise(topic)} (${priority})`);
    for (const alias of aliases) {
      const own = added.find(({ word }) => word === alias);
      terminal.out(
        `  ${sanitise(alias)} (${own === undefined ? 'in the file' : `added by ${sanitise(own.by)}`})`,
      );
    }
    if (refused.length > 0)
      terminal.out(`  refused: ${refused.map(({ word }) => sanitise(word)).join(', ')}`);
  }
}

function decideCommand(
  deps: CommandDependencies,
  {
    name,
    about,
    decision,
    done,
  }: {
    readonly name: string;
    readonly about: string;
    readonly decision: AliasDecision;
    readonly done: (word: string, topic: string) => string;
  },
): Command {
  return defineCommand(name, about)
    .argument('<topic>', 'topic of the interest')
    .argument('<words...>', 'the words')
    .option('-p, --pipeline <id>', 'of this pipeline (default: the only one with interests)')
    .action(
      action(deps, (terminal, options: InterestOptions, topic: string, words: readonly string[]) =>
        withAppForReading(deps.context, options, async (app) => {
          const [only, another] = await interestsOfPipelines(app, options.pipeline);
          if (only === undefined) throw withoutInterests(options.pipeline);
          if (another !== undefined)
            throw new CommandError('several pipelines have interests: add --pipeline and its ID', EXIT.usage);
          const { pipeline, interests } = only;
          const result = await app.interests.decide(pipeline, { topic, words, decision }, personName());
          if (result.outcome === 'unknown_topic')
            throw new CommandError(
              `${pipeline} has no interest "${topic}": ${suggestion(
                topic,
                interests.map((interest) => interest.topic),
              )}`,
              EXIT.notFound,
            );
          if (result.outcome === 'refused')
            throw new CommandError(
              `nothing was changed: ${result.problems.map(({ word, detail }) => `"${word}" ${detail}`).join('; ')}`,
              EXIT.usage,
            );
          if (decision === 'none' && !result.changed)
            throw new CommandError('nothing was changed: no such word was added or refused', EXIT.notFound);
          if (options.json) terminal.json({ pipeline, topic, words, decision, changed: result.changed });
          else for (const word of words) terminal.out(done(sanitise(word), sanitise(topic)));
          return EXIT.ok;
        }),
      ),
    );
}

function suggestCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'suggest',
    'propose aliases from the words that accompany an interest in your articles',
  )
    .option('-p, --pipeline <id>', 'only for this pipeline')
    .action(
      action(deps, (terminal, options: InterestOptions) =>
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
      'These are proposals and do not count. To accept one: `kawaraban interests accept <topic> <word>`, or the page of the pipelines.',
    );
  } else terminal.out('No proposals: no unknown interest has words that accompany it often enough.');
}

function diffCommand(deps: CommandDependencies): Command {
  return defineCommand('diff', 'show which items the changed interests would re-evaluate')
    .option('-p, --pipeline <id>', 'only for this pipeline')
    .action(
      action(deps, (terminal, options: InterestOptions) =>
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
