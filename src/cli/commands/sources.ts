import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { suggestion } from '../../config/problems.ts';
import type { SourceFields } from '../../sources/discovery.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import { errorMessage } from '../../telemetry/errors.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configOrSamplePath, environmentFor, findSource, openConfig, openEditableConfig } from '../files.ts';
import { type Column, formatRelativeTime, formatTable } from '../format.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { chooseFeed, printTrial, trialToJson } from '../source-trial.ts';
import type { CliContext, Terminal } from '../terminal.ts';

/** `sources …`: manages the sources in the configuration (X14). */
export function sourcesCommand(deps: CommandDependencies): Command {
  return defineCommand('sources', 'list, add, remove, test, enable or disable sources')
    .helpCommand(false)
    .addCommand(listCommand(deps))
    .addCommand(addCommand(deps))
    .addCommand(removeCommand(deps))
    .addCommand(testCommand(deps))
    .addCommand(switchCommand(deps, 'enable'))
    .addCommand(switchCommand(deps, 'disable'));
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'show the state of each source: last read, items, last failure').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withAppForReading(deps.context, options, async ({ newsroom }) => {
        const sources = await newsroom.sources('owner');
        if (options.json) terminal.json(sources);
        else if (sources.length === 0)
          terminal.out('There are no sources. Add one:  kawaraban sources add <address>');
        else
          terminal.out(
            formatTable(sources, columns(terminal, sources, Date.now()), terminal.width, (title) =>
              terminal.style('dim', title),
            ),
          );
        return EXIT.ok;
      }),
    ),
  );
}

function columns(terminal: Terminal, sources: readonly SourceStatus[], now: number): Column<SourceStatus>[] {
  const quota: Column<SourceStatus> = {
    title: 'Quota',
    value: ({ quota }) => (quota === null ? '' : `${quota.used} of ${quota.limit}`),
    align: 'right',
  };
  return [
    { title: 'Source', value: ({ id }) => id },
    { title: 'Kind', value: ({ kind }) => kind },
    {
      title: 'State',
      value: stateText,
      style: (cell, source) => (stateText(source) === 'failing' ? terminal.style('yellow', cell) : cell),
    },
    { title: 'Last read', value: ({ record }) => formatRelativeTime(record?.lastSuccessAt ?? null, now) },
    {
      title: 'Next',
      value: ({ enabled, record }) => (enabled ? formatRelativeTime(record?.nextAt ?? null, now) : '–'),
    },
    { title: 'Items', value: ({ record }) => String(record?.itemsSeen ?? 0), align: 'right' },
    {
      title: 'Identity',
      value: ({ identity }) => (identity === null ? '–' : `${identity.by}${identity.certain ? '' : '?'}`),
    },
    ...(sources.some((source) => source.quota !== null) ? [quota] : []),
    { title: 'Used by', value: ({ pipelines }) => pipelines.join(', ') || 'no pipeline', shrinks: true },
    {
      title: 'Last failure',
      value: ({ record }) => record?.lastTrouble?.detail ?? '',
      style: (cell) => terminal.style('yellow', cell),
      shrinks: true,
    },
  ];
}

function stateText({ enabled, record }: SourceStatus): string {
  if (!enabled) return 'off';
  if (record === null) return 'not read yet';
  return record.failuresInARow > 0 ? 'failing' : 'OK';
}

function testCommand(deps: CommandDependencies): Command {
  return defineCommand('test', 'read a source now and show its items, or why it fails; nothing is stored')
    .argument('<source>', 'ID of a source, or any address of a feed, a page or a channel')
    .action(
      action(deps, async (terminal, options: GlobalOptions, written: string) => {
        const config = await openConfig(deps.context, options.config, { secrets: 'ignore' });
        const { parseSourceAddress, sourceSettings, trySource } = await import('../../sources/discovery.ts');
        let settings = config.sources[written] ?? null;
        if (settings === null) {
          const { suggestion } = await import('../../config/problems.ts');
          const fields = parseSourceAddress(written);
          const made = fields === null ? 'it is no address either' : sourceSettings(fields);
          if (typeof made === 'string')
            throw new CommandError(
              `there is no source \`${written}\`, and ${made}: ${suggestion(written, Object.keys(config.sources))}`,
              EXIT.notFound,
            );
          settings = made;
        }
        if (settings.kind === 'youtube' && settings.key !== undefined)
          loadKey(settings.key, deps.context, options.config, config.file);
        const stopping = new ShutdownSignal(terminal);
        try {
          const trial = await trySource(settings, config, stopping.signal);
          if (options.json) terminal.json({ source: written, ...trialToJson(trial) });
          else if (trial.outcome === 'read') printTrial(terminal, trial);
          else terminal.out(`${written} could not be read: ${trial.detail}`);
          return trial.outcome === 'read' ? EXIT.ok : EXIT.unavailable;
        } finally {
          stopping[Symbol.dispose]();
        }
      }),
    );
}

/** Loads only the secret that is needed. */
function loadKey(
  key: { load(env: NodeJS.ProcessEnv, folder: string): void; reveal(): string },
  context: CliContext,
  named: string | undefined,
  file: string,
): void {
  key.load(environmentFor(context, configOrSamplePath(context, named)), dirname(file));
  try {
    key.reveal();
  } catch (cause) {
    throw new CommandError('its key for the YouTube Data API is not set: set it first', EXIT.badConfig, {
      cause,
    });
  }
}

/** Printed after every change of the file. */
export const AFTER_EDIT = 'A running newsroom applies the change after a restart.';

/** `sources remove <id>`. */
export function removeCommand(deps: CommandDependencies): Command {
  return defineCommand('remove', 'remove a source from the configuration; its items stay')
    .argument('<id>', 'ID of the source')
    .action(
      action(deps, async (terminal, options: GlobalOptions, id: string) => {
        const file = await openEditableConfig(deps.context, options.config);
        findSource(file.config, id);
        const followers = Object.values(file.config.pipelines).filter(({ sources }) => sources.includes(id));
        const orphaned = followers.filter(({ sources }) => sources.every((source) => source === id));
        if (orphaned.length > 0)
          throw new CommandError(
            `nothing was changed: ${orphaned.map((pipeline) => `\`${pipeline.id}\``).join(', ')} would be left without a source; give it another one first, or use \`kawaraban sources disable ${id}\``,
          );
        const [{ removeSource }, { removeSourceRecord }] = await Promise.all([
          import('../../config/edit-sources.ts'),
          import('../../app/maintenance.ts'),
        ]);
        const after = await file.write(removeSource(file.text, id));
        try {
          await removeSourceRecord(after, id);
        } catch (cause) {
          const why = errorMessage(cause);
          throw new CommandError(
            `${id} was removed from ${file.path}, but its stored state could not be deleted; a source added with this ID would continue from it: ${why}`,
            EXIT.unavailable,
            { cause },
          );
        }
        const pipelines = followers.map((pipeline) => pipeline.id);
        if (options.json) terminal.json({ file: file.path, removed: id, pipelines });
        else {
          const from = pipelines.length > 0 ? `, and ${pipelines.join(', ')} no longer follows it` : '';
          terminal.out(`${id} was removed from ${file.path}${from}. Its items stay.`);
          terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}

/** `sources enable <id>` and `sources disable <id>`. */
export function switchCommand(deps: CommandDependencies, name: 'enable' | 'disable'): Command {
  const on = name === 'enable';
  return defineCommand(
    name,
    on ? 'enable a source' : 'disable a source: it is not polled until it is enabled',
  )
    .argument('<id>', 'ID of the source')
    .action(
      action(deps, async (terminal, options: GlobalOptions, id: string) => {
        const file = await openEditableConfig(deps.context, options.config);
        const changed = findSource(file.config, id).enabled !== on;
        if (changed) {
          const { switchSource } = await import('../../config/edit-sources.ts');
          await file.write(switchSource(file.text, id, on));
        }
        if (options.json) terminal.json({ file: file.path, source: id, enabled: on, changed });
        else {
          terminal.out(`${id} is ${changed ? 'now' : 'already'} ${on ? 'enabled' : 'disabled'}.`);
          if (changed) terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}

interface AddOptions extends GlobalOptions {
  readonly pipeline?: readonly string[];
  readonly id?: string;
  readonly name?: string;
  readonly feed?: string;
  readonly feedUrl?: string;
  readonly anyway?: boolean;
  readonly dryRun?: boolean;
}

/** `sources add <address>`: finds the feed, shows it, and writes it into the configuration. */
export function addCommand(deps: CommandDependencies): Command {
  return defineCommand('add', 'find the feed or channel at an address, show its newest items and follow it')
    .argument('<address>', 'a feed, a page that links to one, a YouTube channel (@handle too), Hacker News')
    .option('-p, --pipeline <id...>', 'let these pipelines follow it')
    .option('--id <id>', 'its ID in the configuration (default: derived from its title)')
    .option('--name <name>', 'its display name (default: its title)')
    .option('--feed <number>', 'which of the feeds of a page, counted from 1')
    .option('--feed-url <address>', 'YouTube: base URL of channel feeds, for tests')
    .option('--anyway', 'add it even if it cannot be read now')
    .option('-n, --dry-run', 'show the result and write nothing')
    .action(
      action(deps, async (terminal, options: AddOptions, written: string) => {
        const file = await openEditableConfig(deps.context, options.config);
        checkNames(file.config, options);
        const [{ parseSourceAddress, discoverSources }, { uniqueSourceId, addSource }] = await Promise.all([
          import('../../sources/discovery.ts'),
          import('../../config/edit-sources.ts'),
        ]);
        const parsed = parseSourceAddress(written);
        if (parsed === null)
          throw new CommandError(`"${written}" is no address of a feed, a page or a channel`, EXIT.usage);
        const asked =
          'youtube' in parsed && options.feedUrl !== undefined
            ? { ...parsed, feed_url: options.feedUrl }
            : parsed;
        await refuseKnown(file.config, asked);
        const stopping = new ShutdownSignal(terminal);
        const candidates = await discoverSources(asked, file.config, stopping.signal).finally(() =>
          stopping[Symbol.dispose](),
        );
        if (typeof candidates === 'string') throw new CommandError(`${written} ${candidates}`, EXIT.usage);
        const { trial, fields: found } = await chooseFeed(terminal, candidates, written, options);
        if (trial.outcome === 'failed' && !options.anyway)
          throw new CommandError(
            `nothing was added: ${trial.detail} (--anyway adds it nevertheless)`,
            EXIT.unavailable,
          );
        await refuseKnown(file.config, found);

        const title = trial.outcome === 'read' ? trial.title : null;
        const name = (options.name ?? title ?? '').slice(0, 100).trim();
        const address = String(Object.values(found)[0]);
        const id =
          options.id ?? uniqueSourceId(name || address, address, new Set(Object.keys(file.config.sources)));
        const fields: SourceFields = { ...found, ...(name !== '' && { name }) };
        const pipelines = options.pipeline ?? [];
        const text = addSource(file.text, id, fields, pipelines);
        refuseUnlisted(file.check(text), id, pipelines);
        if (!options.dryRun) await file.write(text);
        if (options.json)
          terminal.json({
            file: file.path,
            id,
            ...fields,
            pipelines,
            written: !options.dryRun,
            trial: trialToJson(trial),
          });
        else {
          if (trial.outcome === 'read') printTrial(terminal, trial);
          const readBy = pipelines.length > 0 ? `, followed by ${pipelines.join(', ')}` : '';
          terminal.out(
            options.dryRun
              ? `\nWould be added to ${file.path} as ${id}${readBy}. Nothing was written.`
              : `\nAdded to ${file.path} as ${id}${readBy}.`,
          );
          if (pipelines.length === 0)
            terminal.note(`No pipeline follows it yet: put ${id} into the \`sources\` of one.`);
          if (!options.dryRun) terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}

function checkNames(config: Config, { id, pipeline = [] }: AddOptions): void {
  if (id !== undefined && config.sources[id] !== undefined)
    throw new CommandError(`the source \`${id}\` exists already: choose another ID`, EXIT.usage);
  for (const named of pipeline)
    if (config.pipelines[named] === undefined)
      throw new CommandError(
        `there is no pipeline \`${named}\`: ${suggestion(named, Object.keys(config.pipelines))}`,
        EXIT.notFound,
      );
}

/** A list that is an alias of another one cannot be added to without changing that one too. */
function refuseUnlisted(after: Config, id: string, pipelines: readonly string[]): void {
  const left = pipelines.filter((pipeline) => !after.pipelines[pipeline]?.sources.includes(id));
  if (left.length > 0)
    throw new CommandError(
      `nothing was written: the sources of ${left.join(', ')} are an alias of another list; add ${id} to it manually`,
      EXIT.badData,
    );
}

async function refuseKnown(config: Config, fields: SourceFields): Promise<void> {
  const { normaliseFeedUrl } = await import('../../config/edit-sources.ts');
  const known = Object.values(config.sources).find((source) => {
    if (source.kind === 'feed')
      return 'feed' in fields && normaliseFeedUrl(source.url) === normaliseFeedUrl(fields.feed);
    if (source.kind === 'youtube') return source.channel === fields.youtube;
    return source.list === fields.hackernews;
  });
  if (known !== undefined)
    throw new CommandError(`nothing was added: it exists already, as \`${known.id}\``, EXIT.cannotWrite);
}
