import { resolve } from 'node:path';
import type { Command } from 'commander';
import { programVersion } from '../../assets/assets.ts';
import type { Config } from '../../config/config.ts';
import type { SweepReport } from '../../ledger/ledger.ts';
import type { SweepResult } from '../../scheduler/retention.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { openConfig } from '../files.ts';
import { formatCount, formatMoment, formatTable } from '../format.ts';
import { findPipeline } from '../lookup.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { type CliContext, Progress } from '../terminal.ts';

/** `backup <folder>`: copies the data folder, also while the newsroom runs. */
export function backupCommand(deps: CommandDependencies): Command {
  return defineCommand('backup', 'copy the data folder, also while the newsroom runs')
    .argument('<folder>', 'a folder that does not exist yet')
    .action(
      action(deps, async (terminal, options: GlobalOptions, folder: string) => {
        const config = await embeddedConfig(deps.context, options, 'backup');
        const { createBackup } = await import('../../storage/sqlite/backup.ts');
        const progress = new Progress(terminal);
        const stopping = new ShutdownSignal(terminal);
        const to = resolve(deps.context.cwd, folder);
        try {
          const manifest = await createBackup({
            data: config.data,
            to,
            program: programVersion(),
            now: Date.now(),
            signal: stopping.signal,
            onProgress: (name, done, of) => progress.show(`Copying ${name}`, done, of),
          });
          progress.clear();
          if (options.json) terminal.json({ folder: to, ...manifest });
          else terminal.out(`${formatCount(manifest.files.length, 'file')} copied to ${to} and checked.`);
          return EXIT.ok;
        } catch (error) {
          if (!stopping.signal.aborted) throw error;
          throw new CommandError('stopped before the end; nothing was written');
        } finally {
          progress.clear();
          stopping[Symbol.dispose]();
        }
      }),
    );
}

/** `restore <folder>`: restores a backup, and keeps what it replaces. */
export function restoreCommand(deps: CommandDependencies): Command {
  return defineCommand('restore', 'restore a backup into the data folder; the newsroom must be stopped')
    .argument('<folder>', 'a folder that `backup` wrote')
    .action(
      action(deps, async (terminal, options: GlobalOptions, folder: string) => {
        const config = await embeddedConfig(deps.context, options, 'restore');
        const { restore } = await import('../../storage/sqlite/restore.ts');
        const progress = new Progress(terminal);
        try {
          const restored = await restore({
            data: config.data,
            from: resolve(deps.context.cwd, folder),
            program: programVersion(),
            now: Date.now(),
            onProgress: (words, done, of) => progress.show(words, done, of),
          });
          progress.clear();
          if (options.json) {
            terminal.json(restored);
            return EXIT.ok;
          }
          const { files, createdAt, replaced, wayBack } = restored;
          const when = formatMoment(Date.parse(createdAt));
          terminal.out(`${formatCount(files, 'file')} restored to the state of ${when}.`);
          if (replaced !== null)
            terminal.out(
              wayBack
                ? `The replaced data is kept. To undo: kawaraban restore ${replaced}`
                : `The replaced data is kept in ${replaced}; it is damaged and cannot be restored as it is.`,
            );
          terminal.note(
            'Posts after that time are no longer recorded: check the waiting items (kawaraban items) before you start.',
          );
          return EXIT.ok;
        } finally {
          progress.clear();
        }
      }),
    );
}

async function embeddedConfig(context: CliContext, options: GlobalOptions, command: string): Promise<Config> {
  const config = await openConfig(context, options.config, { secrets: 'ignore' });
  if (config.engine.kind === 'embedded') return config;
  throw new CommandError(
    `${command} is for the embedded engine. Firestore is backed up by Google (gcloud firestore export); kawaraban export exports a pipeline’s ledger on both engines`,
    EXIT.usage,
  );
}

interface SweepOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `sweep`: removes items older than their retention time, now. */
export function sweepCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'sweep',
    'remove items and articles that are older than their retention time, and cached verdicts',
  )
    .option('-p, --pipeline <id>', 'only in this pipeline')
    .option('-n, --dry-run', 'count them and remove nothing')
    .action(
      action(deps, (terminal, options: SweepOptions) =>
        withApp(deps.context, options, async (app) => {
          if (options.pipeline !== undefined) findPipeline(app, options.pipeline);
          const stopping = new ShutdownSignal(terminal);
          const progress = new Progress(terminal);
          let swept: SweepResult | null;
          try {
            swept = await app.retention.sweep(
              {
                dryRun: options.dryRun ?? false,
                onProgress: (pipeline, done) => progress.show(`Sweeping ${pipeline}`, done),
                ...(options.pipeline !== undefined && { pipeline: options.pipeline }),
              },
              stopping.signal,
            );
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (swept === null)
            throw new CommandError(
              'nothing was swept: another sweep is running, here or in the running newsroom',
              EXIT.unavailable,
            );
          const { pipelines: reports, judges, reader } = swept;
          if (options.json) terminal.json(swept);
          else
            terminal.out(
              formatTable(
                reports,
                [
                  { title: 'Pipeline', value: ({ pipeline }) => pipeline, shrinks: true },
                  {
                    title: options.dryRun ? 'Would be removed' : 'Removed',
                    value: sweptWords,
                    shrinks: true,
                  },
                  {
                    title: 'Tombstones removed',
                    value: (report) => String(report.tombstonesRemoved),
                    align: 'right',
                  },
                ],
                terminal.width,
                (title) => terminal.style('dim', title),
              ),
            );
          if (judges !== null && !options.json && judges.calls + judges.verdicts > 0)
            terminal.out(
              `Removed ${formatCount(judges.verdicts, 'verdict')} and ${formatCount(judges.calls, 'call')} of judges.`,
            );
          if (reader !== null && !options.json && reader.entries + reader.texts > 0)
            terminal.out(
              `Removed ${formatCount(reader.entries, 'article')} and ${formatCount(reader.texts, 'text')} of the reader.`,
            );
          const complete = reports.every((report) => report.complete);
          if (!complete) terminal.note('Stopped before the end; the next sweep continues from there.');
          return complete ? EXIT.ok : EXIT.failure;
        }),
      ),
    );
}

function sweptWords({ swept }: SweepReport): string {
  const words = Object.entries(swept)
    .filter(([, n]) => n > 0)
    .map(([state, n]) => `${n} ${state}`);
  return words.length > 0 ? words.join(', ') : 'nothing';
}
