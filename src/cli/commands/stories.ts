import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { ListedStory, Timespan } from '../../stories/story.ts';
import type { SyncedSet } from '../../stories/story-service.ts';
import { formatDuration } from '../../time/duration.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, formatRelativeTime, formatTable } from '../format.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { Progress } from '../terminal.ts';

const NAMES = ['Day', 'Week', 'Month', 'Year', 'All'] as const satisfies readonly Timespan[];

interface ListOptions extends GlobalOptions {
  readonly limit?: string;
  readonly skip?: string;
  readonly set?: string;
}

/** `stories`: ranked lists of stories, and the worker that refreshes them. */
export function storiesCommand(deps: CommandDependencies): Command {
  return defineCommand('stories', 'list ranked stories, refresh them, import old ones')
    .addCommand(listCommand(deps))
    .addCommand(syncCommand(deps))
    .addCommand(backfillCommand(deps))
    .addCommand(clearCommand(deps));
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'show the best of a timespan: Day, Week, Month, Year or All')
    .argument('<timespan>', NAMES.join(', '))
    .option('-n, --limit <number>', 'how many, up to 500', '30')
    .option('--skip <number>', 'number of stories to skip', '0')
    .option('--set <name>', 'set of stories, if there are several: hackernews, or the ID of a pipeline')
    .action(
      action(deps, (terminal, options: ListOptions, word: string) =>
        withApp(deps.context, options, async (app) => {
          const { sets: storySets } = storiesOf(app);
          const timespan = NAMES.find((name) => name.toLowerCase() === word.toLowerCase());
          if (timespan === undefined)
            throw new CommandError(
              `there is no timespan "${word}": choose one of ${NAMES.join(', ')}`,
              EXIT.usage,
            );
          const set = storySets.find(options.set);
          if (set === null)
            throw new CommandError(
              `there is no set of stories "${options.set}": there are ${storySets.sets.map(({ name }) => name).join(', ')}`,
              EXIT.usage,
            );
          const limit = whole('--limit', options.limit, 1, 500);
          const skip = whole('--skip', options.skip, 0, 10_000);
          const answer = await storySets.page(set, { timespan, limit, skip });
          if (answer.outcome !== 'page') throw new Error(`a page without a token is ${answer.outcome}`);
          const { stories } = answer.page;
          if (options.json) terminal.json({ set: set.name, timespan, stories });
          else if (stories.length === 0)
            terminal.out('There are no stories yet. kawaraban stories sync fetches them.');
          else
            terminal.out(
              formatTable(stories, columns(Date.now()), terminal.width, (t) => terminal.style('dim', t)),
            );
          return EXIT.ok;
        }),
      ),
    );
}

function columns(now: number) {
  return [
    { title: 'Score', value: ({ score }: ListedStory) => String(score), align: 'right' as const },
    { title: 'Title', value: ({ title }: ListedStory) => title, shrinks: true },
    { title: 'By', value: ({ by }: ListedStory) => by, shrinks: true },
    { title: 'Posted', value: ({ time }: ListedStory) => formatRelativeTime(time, now) },
    { title: 'ID', value: ({ id }: ListedStory) => String(id), align: 'right' as const },
  ];
}

function syncCommand(deps: CommandDependencies): Command {
  return defineCommand('sync', 'fetch new stories and refresh stale scores, now').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withApp(deps.context, options, async (app) => {
        const stopping = new ShutdownSignal(terminal);
        const progress = new Progress(terminal);
        let synced: readonly SyncedSet[];
        try {
          synced = await storiesOf(app).sync(stopping.signal, ({ stage, done, total }) =>
            progress.show(`Reading ${stage}`, done, total),
          );
        } finally {
          progress.clear();
          stopping[Symbol.dispose]();
        }
        if (options.json) terminal.json(synced);
        else for (const { set, tally } of synced) terminal.out(`${set}: ${tallyWords(tally)}`);
        if (synced.some(({ tally }) => tally === null)) return EXIT.unavailable;
        return synced.some(({ tally }) => tally?.trouble != null) ? EXIT.failure : EXIT.ok;
      }),
    ),
  );
}

function tallyWords(tally: SyncedSet['tally']): string {
  if (tally === null) return 'a worker is running already, here or in the running newsroom';
  const { added, refreshed, removed, waiting, trouble } = tally;
  const counts = [
    formatCount(added, 'new story', 'new stories'),
    `${refreshed} refreshed`,
    `${removed} removed`,
    ...(waiting > 0 ? [`${waiting} to be retried`] : []),
  ];
  return `${counts.join(', ')}${trouble === null ? '' : `. Failed: ${trouble}`}`;
}

function backfillCommand(deps: CommandDependencies): Command {
  return defineCommand('backfill', 'fetch every story of a range of Hacker News IDs')
    .argument('<from>', 'the first ID')
    .argument('<to>', 'the last ID')
    .action(
      action(deps, (terminal, options: GlobalOptions, first: string, last: string) =>
        withApp(deps.context, options, async (app) => {
          const from = whole('<from>', first, 1, Number.MAX_SAFE_INTEGER);
          const to = whole('<to>', last, from, Number.MAX_SAFE_INTEGER);
          const stopping = new ShutdownSignal(terminal);
          const progress = new Progress(terminal);
          let result: Awaited<ReturnType<ReturnType<typeof storiesOf>['backfill']>>;
          try {
            result = await storiesOf(app).backfill(
              { from, to },
              stopping.signal,
              ({ done, total, found, leftMs }) =>
                progress.show(
                  `${formatCount(found, 'story', 'stories')}, about ${formatDuration(leftMs)} left`,
                  done,
                  total,
                ),
            );
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (result === null)
            throw new CommandError(
              'nothing was done: a worker is running already, here or in the running newsroom',
              EXIT.unavailable,
            );
          if (result.outcome === 'refused') throw new CommandError(result.why, EXIT.unavailable);
          if (options.json) terminal.json(result);
          else {
            terminal.out(
              `${formatCount(result.tally.added, 'story', 'stories')} added, up to ID ${result.next - 1}.`,
            );
            const { failed, trouble } = result.tally;
            if (failed > 0)
              terminal.note(
                `${formatCount(failed, 'item')} could not be fetched: ${trouble ?? 'unknown error'}`,
              );
            if (result.outcome === 'stopped')
              terminal.note('Stopped before the end. The same command continues from there.');
          }
          return result.outcome === 'done' ? EXIT.ok : EXIT.failure;
        }),
      ),
    );
}

function clearCommand(deps: CommandDependencies): Command {
  return defineCommand('clear-cache', 'clear the cached lists, so that they are ranked again').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withApp(deps.context, options, async (app) => {
        await storiesOf(app).sets.clearCache();
        if (options.json) terminal.json({ cleared: true });
        else terminal.out('The lists are ranked again on the next read.');
        return EXIT.ok;
      }),
    ),
  );
}

function storiesOf({ stories }: App): NonNullable<App['stories']> {
  if (stories !== null) return stories;
  throw new CommandError(
    'stories are disabled: write `stories: { enabled: true }` into the configuration',
    EXIT.usage,
  );
}

function whole(name: string, text: string | undefined, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text ?? '') && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new CommandError(`${name} must be a whole number ${range}`, EXIT.usage);
}
