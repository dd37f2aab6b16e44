import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Item, Verdict } from '../../item/item.ts';
import { REASONS, type Reason, STATES, type State } from '../../item/lifecycle.ts';
import { scoreRule } from '../../ledger/explain.ts';
import type { ItemFilter } from '../../ledger/ledger.ts';
import type { ItemExplanation } from '../../server/http/newsroom.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import {
  type Column,
  formatMoment,
  formatName,
  formatRelativeTime,
  formatTable,
  sanitise,
} from '../format.ts';
import { findItem, selectPipelines } from '../lookup.ts';
import type { Terminal } from '../terminal.ts';

interface ItemsOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly state?: readonly State[];
  readonly reason?: readonly Reason[];
  readonly source?: string;
  readonly text?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `items`: items of the pipelines, latest change first. */
export function itemsCommand(deps: CommandDependencies): Command {
  return defineCommand('items', 'list items, the last changed first')
    .option('-p, --pipeline <id>', 'only this pipeline')
    .addOption(new Option('-s, --state <state...>', 'only in these states').choices(STATES))
    .addOption(new Option('--reason <reason...>', 'only for these reasons').choices(REASONS))
    .option('--source <id>', 'only from this source')
    .option('-t, --text <words>', 'only with this in the title or the address')
    .option('-l, --limit <number>', 'how many, 1 to 1000', limit, 20)
    .option('--cursor <cursor>', 'continue after the last page')
    .action(
      action(deps, (terminal, options: ItemsOptions) =>
        withAppForReading(deps.context, options, async (app) => {
          const pipelines = selectPipelines(app, options.pipeline);
          if (options.cursor !== undefined && pipelines.length > 1)
            throw new CommandError('a cursor belongs to one pipeline: add --pipeline', EXIT.usage);
          const pages = await Promise.all(
            pipelines.map(async (pipeline) => ({
              pipeline: pipeline.id,
              ...(await pipeline.ledger.list(filterOf(options))),
            })),
          );
          if (options.json) terminal.json(pages);
          else for (const page of pages) printItems(terminal, page, pages.length > 1);
          return EXIT.ok;
        }),
      ),
    );
}

function limit(written: string): number {
  const n = Number(written);
  if (!Number.isInteger(n) || n < 1 || n > 1000)
    throw new InvalidArgumentError('Write a whole number from 1 to 1000.');
  return n;
}

function filterOf(options: ItemsOptions): ItemFilter {
  return {
    limit: options.limit,
    ...(options.state !== undefined && { states: options.state }),
    ...(options.reason !== undefined && { reasons: options.reason }),
    ...(options.source !== undefined && { sourceId: options.source }),
    ...(options.text !== undefined && { text: options.text }),
    ...(options.cursor !== undefined && { cursor: options.cursor }),
  };
}

function printItems(
  terminal: Terminal,
  page: { readonly pipeline: string; readonly items: readonly Item[]; readonly next: string | null },
  several: boolean,
): void {
  if (several) terminal.out(terminal.style('bold', `\n${page.pipeline}`));
  if (page.items.length === 0) {
    terminal.out('No items.');
    return;
  }
  terminal.out(
    formatTable(page.items, columns(terminal, Date.now()), terminal.width, (title) =>
      terminal.style('dim', title),
    ),
  );
  if (page.next !== null) terminal.note(`More: --pipeline ${page.pipeline} --cursor ${page.next}`);
}

function columns(terminal: Terminal, now: number): Column<Item>[] {
  return [
    { title: 'Changed', value: (item) => formatRelativeTime(item.checkedAt, now) },
    {
      title: 'State',
      value: stateText,
      style: (cell, item) => styled(terminal, cell, item.state),
    },
    { title: 'Score', value: (item) => String(item.verdict?.score ?? '–'), align: 'right' },
    { title: 'Title', value: (item) => item.title, shrinks: true },
    { title: 'Source', value: (item) => item.sourceName, shrinks: true },
    { title: 'Address', value: (item) => item.key, shrinks: true },
  ];
}

function stateText({ state, reason, verdict }: Item): string {
  const { score = null, minScore } = verdict ?? {};
  if (reason === 'low_relevance' && score !== null && minScore !== undefined)
    return `${state}: ${scoreRule(score, minScore, true)}`;
  return reason === 'none' ? state : `${state}: ${formatName(reason)}`;
}

function styled(terminal: Terminal, cell: string, state: State): string {
  if (state === 'published') return terminal.style('green', cell);
  if (state === 'failed') return terminal.style('red', cell);
  return state === 'parked' || state === 'deferred' ? terminal.style('yellow', cell) : cell;
}

interface ExplainOptions extends GlobalOptions {
  readonly pipeline?: string;
}

/** `explain <item>`: the history of one item and the reason of its state (X4). */
export function explainCommand(deps: CommandDependencies): Command {
  return defineCommand('explain', 'explain the history of one item: when, why, by whom, posted where')
    .argument('<item>', 'its address, or a part of its title')
    .option('-p, --pipeline <id>', 'in this pipeline')
    .action(
      action(deps, (terminal, options: ExplainOptions, words: string) =>
        withAppForReading(deps.context, options, async (app) => {
          const { pipeline, item } = await findItem(app, words, options.pipeline);
          const explanation = await app.newsroom.explain(pipeline.id, item.key, 'owner');
          if (explanation === null) throw new CommandError(`${item.key} no longer exists`, EXIT.notFound);
          if (options.json) terminal.json(explanation);
          else printExplanation(terminal, explanation);
          return EXIT.ok;
        }),
      ),
    );
}

function printExplanation(
  terminal: Terminal,
  { pipeline, item, alsoSeenIn, told: history }: ItemExplanation,
): void {
  const line = (title: string, words: string): void =>
    terminal.out(`${terminal.style('dim', title.padEnd(10))} ${sanitise(words)}`);
  terminal.out(terminal.style('bold', sanitise(item.title)));
  line('Address', item.url);
  line('Pipeline', pipeline);
  line('State', [stateText(item), item.detail ?? ''].filter(Boolean).join(': '));
  line(
    'Source',
    [item.sourceName, ...(alsoSeenIn.length > 0 ? [`also seen in ${alsoSeenIn.join(', ')}`] : [])].join('; '),
  );
  line('Published', formatMoment(item.publishedAt));
  line('Attempts', String(item.attempts));
  if (item.dueAt !== null) line('Due', formatMoment(item.dueAt));
  if (item.verdict !== null) printVerdict(item, item.verdict, line);
  const past = history.flatMap(({ at, text }) =>
    at === null ? [] : [`  ${formatMoment(at)}  ${sanitise(text)}`],
  );
  const now = history.flatMap(({ at, text }) => (at === null ? [`  ${sanitise(text)}`] : []));
  terminal.out([terminal.style('bold', '\nWhat happened'), ...past].join('\n'));
  terminal.out([terminal.style('bold', '\nNow'), ...now].join('\n'));
}

function printVerdict({ state }: Item, verdict: Verdict, line: (title: string, words: string) => void): void {
  const score = verdict.score === null ? 'not scored' : `${verdict.score} of 100`;
  const topics = verdict.topics.length > 0 ? `, topics: ${verdict.topics.join(', ')}` : '';
  const rejudged = state === 'published' ? '' : ', to be re-evaluated';
  line('Verdict', `${score}${topics}${verdict.provisional ? ` (provisional${rejudged})` : ''}`);
  line('By', `${verdict.judge} (${verdict.model}), ${formatMoment(verdict.madeAt)}`);
  line('Because', verdict.reason);
  if (verdict.summary !== null) line('Summary', verdict.summary);
}
