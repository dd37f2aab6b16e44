import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Item } from '../../item/item.ts';
import { REASONS, type Reason, STATES, type State } from '../../item/lifecycle.ts';
import type { ItemFilter } from '../../ledger/ledger.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelinesOf } from '../find-item.ts';
import { RefusalError } from '../refusal.ts';
import { type Column, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { withApp } from '../with-app.ts';
import { distanceWords, plainWords } from '../words.ts';

interface ItemsOptions extends EveryOption {
  readonly pipeline?: string;
  readonly state?: readonly State[];
  readonly reason?: readonly Reason[];
  readonly source?: string;
  readonly text?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `items`: what the pipelines know, newest change first. */
export function itemsCommand(parts: CommandParts): Command {
  return commandNamed('items', 'list items, the last changed first')
    .option('-p, --pipeline <id>', 'only this pipeline')
    .addOption(new Option('-s, --state <state...>', 'only in these states').choices(STATES))
    .addOption(new Option('--reason <reason...>', 'only for these reasons').choices(REASONS))
    .option('--source <id>', 'only from this source')
    .option('-t, --text <words>', 'only with this in the title or the address')
    .option('-l, --limit <number>', 'how many, 1 to 1000', limit, 20)
    .option('--cursor <cursor>', 'go on where the last page ended')
    .action(
      action(parts, (terminal, options: ItemsOptions) =>
        withApp(parts.house, options, async (app) => {
          const pipelines = pipelinesOf(app, options.pipeline);
          if (options.cursor !== undefined && pipelines.length > 1)
            throw new RefusalError('a cursor belongs to one pipeline: add --pipeline', EXIT.usage);
          const pages = await Promise.all(
            pipelines.map(async (pipeline) => ({
              pipeline: pipeline.id,
              ...(await pipeline.ledger.list(filterOf(options))),
            })),
          );
          if (options.json) terminal.json(pages);
          else for (const page of pages) tell(terminal, page, pages.length > 1);
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

function tell(
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
    table(page.items, columns(terminal, Date.now()), terminal.width, (title) => terminal.style('dim', title)),
  );
  if (page.next !== null) terminal.note(`More: --pipeline ${page.pipeline} --cursor ${page.next}`);
}

function columns(terminal: Terminal, now: number): Column<Item>[] {
  return [
    { title: 'Changed', value: (item) => distanceWords(item.checkedAt, now) },
    { title: 'State', value: stateWords, style: (cell, item) => styled(terminal, cell, item.state) },
    { title: 'Score', value: (item) => String(item.verdict?.score ?? '–'), align: 'right' },
    { title: 'Title', value: (item) => item.title, shrinks: true },
    { title: 'Source', value: (item) => item.sourceName, shrinks: true },
    { title: 'Address', value: (item) => item.key, shrinks: true },
  ];
}

function stateWords({ state, reason }: Item): string {
  return reason === 'none' ? state : `${state}: ${plainWords(reason)}`;
}

function styled(terminal: Terminal, cell: string, state: State): string {
  if (state === 'published') return terminal.style('green', cell);
  if (state === 'failed') return terminal.style('red', cell);
  return state === 'parked' || state === 'deferred' ? terminal.style('yellow', cell) : cell;
}
