import { dirname } from 'node:path';
import type { Command } from 'commander';
import { suggestion } from '../../config/problems.ts';
import { ID } from '../../config/schema/section.ts';
import type { SourceConfig } from '../../config/schema/sources.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configOrSamplePath, environmentFor, openConfig } from '../files.ts';
import { type Column, formatRelativeTime, formatTable } from '../format.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { printTrial, trialToJson } from '../source-trial.ts';
import type { CliContext, Terminal } from '../terminal.ts';
import { withSources } from '../with-sources.ts';
import { addCommand } from './source-add.ts';
import {
  assignCommand,
  moveCommand,
  pauseCommand,
  removeCommand,
  renameCommand,
  resumeCommand,
} from './source-changes.ts';
import { exportSourcesCommand, importSourcesCommand } from './source-lists.ts';

/** `sources …`: manages the sources, beside a running newsroom too (X14, R2). */
export function sourcesCommand(deps: CommandDependencies): Command {
  return defineCommand('sources', 'list, add, change, remove, test, import or export sources')
    .helpCommand(false)
    .addCommand(listCommand(deps))
    .addCommand(addCommand(deps))
    .addCommand(removeCommand(deps))
    .addCommand(renameCommand(deps))
    .addCommand(pauseCommand(deps))
    .addCommand(resumeCommand(deps))
    .addCommand(moveCommand(deps))
    .addCommand(assignCommand(deps))
    .addCommand(testCommand(deps))
    .addCommand(importSourcesCommand(deps))
    .addCommand(exportSourcesCommand(deps));
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
    { title: 'From', value: ({ origin }) => origin },
    { title: 'Folder', value: ({ folders }) => folders.join('/') || '–', shrinks: true },
    {
      title: 'State',
      value: stateText,
      style: (cell, source) => (stateText(source) === 'failing' ? terminal.style('yellow', cell) : cell),
    },
    { title: 'Last read', value: ({ record }) => formatRelativeTime(record?.lastSuccessAt ?? null, now) },
    {
      title: 'Next',
      value: ({ nextAt }) => formatRelativeTime(nextAt, now),
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
  if (!enabled) return 'paused';
  if (record === null) return 'never checked';
  return record.failuresInARow > 0 ? 'failing' : 'OK';
}

function testCommand(deps: CommandDependencies): Command {
  return defineCommand('test', 'read a source now and show its items, or why it fails; nothing is stored')
    .argument('<source>', 'ID of a source, or any address of a feed, a page or a channel')
    .action(
      action(deps, async (terminal, options: GlobalOptions, written: string) => {
        const config = await openConfig(deps.context, options.config, { secrets: 'ignore' });
        const { parseSourceAddress, sourceSettings, trySource } = await import('../../sources/discovery.ts');
        let settings: SourceConfig | null = config.sources[written] ?? null;
        let known = Object.keys(config.sources);
        // Nothing is created for what can only be an address.
        if (settings === null && ID.test(written))
          await withSources(deps.context, options, async ({ catalogue }) => {
            settings = catalogue.get(written)?.settings ?? null;
            known = catalogue.all().map((source) => source.settings.id);
          });
        if (settings === null) {
          const fields = parseSourceAddress(written);
          const made = fields === null ? 'it is not an address either' : sourceSettings(fields);
          if (typeof made === 'string')
            throw new CommandError(
              `there is no source \`${written}\`, and ${made}: ${suggestion(written, known)}`,
              EXIT.notFound,
            );
          settings = made;
        }
        if (settings.kind === 'youtube' && settings.key !== undefined)
          loadKey(
            settings.key,
            'its key for the YouTube Data API',
            deps.context,
            options.config,
            config.file,
          );
        if (settings.kind === 'plugin')
          for (const secret of config.plugins.entry('sources', settings.id).secrets)
            loadKey(secret, 'a secret of this source', deps.context, options.config, config.file);
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
  what: string,
  context: CliContext,
  named: string | undefined,
  file: string,
): void {
  key.load(environmentFor(context, configOrSamplePath(context, named)), dirname(file));
  try {
    key.reveal();
  } catch (cause) {
    throw new CommandError(`${what} is not set: set it first`, EXIT.badConfig, {
      cause,
    });
  }
}
