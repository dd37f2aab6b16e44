import type { Command } from 'commander';
import type { InterestsOutlook } from '../../app/judging.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelinesOf } from '../find-item.ts';
import { RefusalError } from '../refusal.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { withApp } from '../with-app.ts';
import { countWords } from '../words.ts';

interface DiffOptions extends EveryOption {
  readonly pipeline?: string;
}

type Change = NonNullable<InterestsOutlook['changes'][number]['change']>;

/** `interests diff`. */
export function interestsCommand(parts: CommandParts): Command {
  return commandNamed('interests', 'see what a change of your interests would do (diff)')
    .helpCommand(false)
    .addCommand(diffCommand(parts));
}

function diffCommand(parts: CommandParts): Command {
  return commandNamed('diff', 'show what the interests in the configuration would have judged again')
    .option('-p, --pipeline <id>', 'only for this pipeline')
    .action(
      action(parts, (terminal, options: DiffOptions) =>
        withApp(parts.house, options, async (app) => {
          const outlooks: InterestsOutlook[] = [];
          for (const { id } of pipelinesOf(app, options.pipeline)) {
            const outlook = await app.judging.outlook(id);
            if (outlook !== null) outlooks.push(outlook);
          }
          if (outlooks.length === 0)
            throw new RefusalError(
              options.pipeline === undefined
                ? 'no pipeline here has interests'
                : `the pipeline \`${options.pipeline}\` has no interests`,
              EXIT.usage,
            );
          if (options.json) terminal.json(outlooks.map(forPrograms));
          else for (const outlook of outlooks) tell(terminal, outlook, outlooks.length > 1);
          return EXIT.ok;
        }),
      ),
    );
}

function forPrograms({ rejudge, ...outlook }: InterestsOutlook): object {
  return {
    ...outlook,
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

function tell(terminal: Terminal, outlook: InterestsOutlook, several: boolean): void {
  const { pipeline, changes, rejudge, keep, mostPerRun } = outlook;
  if (several) terminal.out(terminal.style('bold', `\n${pipeline}`));
  if (rejudge.length === 0) {
    terminal.out(`Nothing would be judged again: ${countWords(keep, 'verdict')} of ${pipeline} stand.`);
    return;
  }
  for (const { change } of changes) {
    if (change === null) terminal.out('Some verdicts were made under interests that are no longer known.');
    else for (const line of changeWords(change)) terminal.out(line);
  }
  terminal.out(
    `\n${table(
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
    `${countWords(rejudge.length, 'item')} would be judged again in the next run${rejudge.length > mostPerRun ? ` and the ones after it (at most ${mostPerRun} each)` : ''}; ${countWords(keep, 'verdict')} stand. Nothing was changed.`,
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
