import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { SourceStatus } from '../../server/newsroom.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { configOrSamplePath, environmentFor, openConfig } from '../open-config.ts';
import { RefusalError } from '../refusal.ts';
import { showTrial, trialJson } from '../show-trial.ts';
import { Stopping } from '../stopping.ts';
import { type Column, table } from '../table.ts';
import type { House, Terminal } from '../terminal.ts';
import { withApp } from '../with-app.ts';
import { distanceWords } from '../words.ts';
import { addCommand } from './sources-add.ts';
import { removeCommand, switchCommand } from './sources-edit.ts';

/** `sources …`: where news comes from, as a person manages it (X14). */
export function sourcesCommand(parts: CommandParts): Command {
  return commandNamed('sources', 'list, add, remove, test, enable or disable sources')
    .helpCommand(false)
    .addCommand(listCommand(parts))
    .addCommand(addCommand(parts))
    .addCommand(removeCommand(parts))
    .addCommand(testCommand(parts))
    .addCommand(switchCommand(parts, 'enable'))
    .addCommand(switchCommand(parts, 'disable'));
}

function listCommand(parts: CommandParts): Command {
  return commandNamed(
    'list',
    'show how each source is doing: when it was read, what it brought, what is wrong',
  ).action(
    action(parts, (terminal, options: EveryOption) =>
      withApp(parts.house, options, async ({ newsroom }) => {
        const sources = await newsroom.sources('owner');
        if (options.json) terminal.json(sources);
        else if (sources.length === 0)
          terminal.out('There are no sources. Add one:  kawaraban sources add <address>');
        else
          terminal.out(
            table(sources, columns(terminal, sources, Date.now()), terminal.width, (title) =>
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
      value: stateWords,
      style: (cell, source) => (stateWords(source) === 'failing' ? terminal.style('yellow', cell) : cell),
    },
    { title: 'Last read', value: ({ record }) => distanceWords(record?.lastSuccessAt ?? null, now) },
    {
      title: 'Next',
      value: ({ enabled, record }) => (enabled ? distanceWords(record?.nextAt ?? null, now) : '–'),
    },
    { title: 'Items', value: ({ record }) => String(record?.itemsSeen ?? 0), align: 'right' },
    {
      title: 'Identity',
      value: ({ identity }) => (identity === null ? '–' : `${identity.by}${identity.certain ? '' : '?'}`),
    },
    ...(sources.some((source) => source.quota !== null) ? [quota] : []),
    { title: 'Used by', value: ({ pipelines }) => pipelines.join(', ') || 'no pipeline', shrinks: true },
    {
      title: 'Last trouble',
      value: ({ record }) => record?.lastTrouble?.detail ?? '',
      style: (cell) => terminal.style('yellow', cell),
      shrinks: true,
    },
  ];
}

function stateWords({ enabled, record }: SourceStatus): string {
  if (!enabled) return 'off';
  if (record === null) return 'not read yet';
  return record.failuresInARow > 0 ? 'failing' : 'fine';
}

function testCommand(parts: CommandParts): Command {
  return commandNamed('test', 'read a source now and say what is there, or why not; nothing is stored')
    .argument('<source>', 'ID of a source, or any address of a feed, a page or a channel')
    .action(
      action(parts, async (terminal, options: EveryOption, written: string) => {
        const config = await openConfig(parts.house, options.config, { secrets: 'ignore' });
        const { fieldsFor, settingsFor, trySource } = await import('../../app/source-trial.ts');
        let settings = config.sources[written] ?? null;
        if (settings === null) {
          const { suggestion } = await import('../../config/nearest.ts');
          const fields = fieldsFor(written);
          const made = fields === null ? 'it is no address either' : settingsFor(fields);
          if (typeof made === 'string')
            throw new RefusalError(
              `there is no source \`${written}\`, and ${made}: ${suggestion(written, Object.keys(config.sources))}`,
              EXIT.notFound,
            );
          settings = made;
        }
        if (settings.kind === 'youtube' && settings.key !== undefined)
          loadKey(settings.key, parts.house, options.config, config.file);
        const stopping = new Stopping(terminal);
        try {
          const trial = await trySource(settings, config, stopping.signal);
          if (options.json) terminal.json({ source: written, ...trialJson(trial) });
          else if (trial.outcome === 'read') showTrial(terminal, trial);
          else terminal.out(`${written} could not be read: ${trial.detail}`);
          return trial.outcome === 'read' ? EXIT.ok : EXIT.unavailable;
        } finally {
          stopping[Symbol.dispose]();
        }
      }),
    );
}

/** Only this one secret is needed, so only this one is asked for. */
function loadKey(
  key: { load(env: NodeJS.ProcessEnv, folder: string): void; reveal(): string },
  house: House,
  named: string | undefined,
  file: string,
): void {
  key.load(environmentFor(house, configOrSamplePath(house, named)), dirname(file));
  try {
    key.reveal();
  } catch (cause) {
    throw new RefusalError('its key for the YouTube Data API is not there: set it first', EXIT.badConfig, {
      cause,
    });
  }
}
