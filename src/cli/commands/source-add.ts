import type { Command } from 'commander';
import type { SourceFields } from '../../sources/discovery.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { chooseFeed, printTrial, trialToJson } from '../source-trial.ts';
import { type CommandSources, checkPipelines, withSources } from '../with-sources.ts';
import { folderOption } from './source-changes.ts';

interface AddOptions extends GlobalOptions {
  readonly pipeline?: readonly string[];
  readonly folder?: string;
  readonly id?: string;
  readonly name?: string;
  readonly feed?: string;
  readonly feedUrl?: string;
  readonly anyway?: boolean;
  readonly dryRun?: boolean;
}

/** `sources add <address>`: finds the feed, shows it, and adds it. */
export function addCommand(deps: CommandDependencies): Command {
  return defineCommand('add', 'find the feed or channel at an address, show its newest items and add it')
    .argument('<address>', 'a feed, a page that links to one, a YouTube channel (@handle too), Hacker News')
    .option('-p, --pipeline <id...>', 'let these pipelines use it')
    .option('--folder <folder>', 'put it into this folder, such as Tech or News/World')
    .option('--id <id>', 'its ID (default: derived from its title)')
    .option('--name <name>', 'its display name (default: its title)')
    .option('--feed <number>', 'which of the feeds of a page, counted from 1')
    .option('--feed-url <address>', 'YouTube: base URL of channel feeds, for tests')
    .option('--anyway', 'add it even if it cannot be read now')
    .option('-n, --dry-run', 'show the result and add nothing')
    .action(
      action(deps, (terminal, options: AddOptions, written: string) =>
        withSources(deps.context, options, async (sources) => {
          const { editing } = sources;
          const { pipeline: pipelines = [], dryRun = false, anyway = false } = options;
          const folders = folderOption(options.folder ?? '');
          checkPipelines(sources.config, pipelines);
          const asked = await parseAddress(written, options);
          const stopping = new ShutdownSignal(terminal);
          const candidates = await editing
            .discover(asked, stopping.signal)
            .finally(() => stopping[Symbol.dispose]());
          if (typeof candidates === 'string') throw new CommandError(`${written} ${candidates}`, EXIT.usage);
          const chosen = await chooseFeed(terminal, candidates, written, options);
          const details = {
            folders,
            pipelines,
            anyway,
            ...(options.id !== undefined && { id: options.id }),
            ...(options.name !== undefined && { name: options.name }),
          };
          const added = dryRun
            ? editing.checkAddition(chosen, details)
            : await editing.addDiscovered(chosen, details);
          if (!added.ok) throw additionError(added, sources, options);
          const { id } = added;
          const { trial, fields } = chosen;
          if (options.json)
            terminal.json({ id, ...fields, folders, pipelines, added: !dryRun, trial: trialToJson(trial) });
          else {
            if (trial.outcome === 'read') printTrial(terminal, trial);
            const usedBy = pipelines.length > 0 ? `, used by ${pipelines.join(', ')}` : '';
            terminal.out(
              dryRun
                ? `\nWould be added as ${id}${usedBy}. Nothing was changed.`
                : `\nAdded as ${id}${usedBy}.`,
            );
          }
          return EXIT.ok;
        }),
      ),
    );
}

async function parseAddress(written: string, { feedUrl }: AddOptions): Promise<SourceFields> {
  const { parseSourceAddress } = await import('../../sources/discovery.ts');
  const parsed = parseSourceAddress(written);
  if (parsed === null)
    throw new CommandError(`"${written}" is not the address of a feed, a page or a channel`, EXIT.usage);
  return 'youtube' in parsed && feedUrl !== undefined ? { ...parsed, feed_url: feedUrl } : parsed;
}

function additionError(
  { why, detail }: { readonly why: string; readonly detail: string },
  { catalogue }: CommandSources,
  { id }: AddOptions,
): CommandError {
  if (why === 'unreachable')
    return new CommandError(`nothing was added: ${detail} (--anyway adds it nevertheless)`, EXIT.unavailable);
  const isTaken = id !== undefined && catalogue.isTaken(id);
  return new CommandError(`nothing was added: ${detail}`, isTaken ? EXIT.usage : EXIT.cannotWrite);
}
