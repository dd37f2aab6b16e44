import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { programVersion } from '../../assets/assets.ts';
import { formatSize } from '../../config/size.ts';
import type { SweepReport } from '../../ledger/ledger.ts';
import type { SweepResult } from '../../scheduler/retention.ts';
import type { BackupContents, LoadedConfiguration } from '../backup-configuration.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configOrSamplePath, environmentFor, formatProblems, loadCheckedConfig } from '../files.ts';
import { formatCount, formatMoment, formatTable } from '../format.ts';
import { findPipeline } from '../lookup.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { type CliContext, Progress, type Terminal } from '../terminal.ts';

/** `backup <folder>`: copies the data folder and the configuration, also while the newsroom runs. */
export function backupCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'backup',
    'copy the data and the configuration, without its secrets, also while the newsroom runs',
  )
    .argument('<folder>', 'a folder that does not exist yet')
    .action(
      action(deps, async (terminal, options: GlobalOptions, folder: string) => {
        const loaded = await embeddedConfig(deps.context, options, 'backup');
        const [{ createBackup }, { copyConfiguration }] = await Promise.all([
          import('../../storage/sqlite/backup.ts'),
          import('../backup-configuration.ts'),
        ]);
        const { contents, texts } = copyConfiguration(loaded, programVersion());
        const progress = new Progress(terminal);
        const stopping = new ShutdownSignal(terminal);
        const to = resolve(deps.context.cwd, folder);
        try {
          const manifest = await createBackup({
            data: loaded.config.data,
            to,
            program: programVersion(),
            now: Date.now(),
            besides: texts,
            signal: stopping.signal,
            onProgress: (name, done, of) => progress.show(`Copying ${name}`, done, of),
          });
          progress.clear();
          const { configuration, notHeld, secrets } = contents;
          if (options.json) terminal.json({ folder: to, ...manifest, configuration, secrets, notHeld });
          else {
            const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
            terminal.out(
              `${formatCount(manifest.files.length, 'file')} copied to ${to} and checked (${formatSize(bytes)}), and the configuration without its secrets.`,
            );
            terminal.note('It does not hold:');
            for (const words of notHeld) terminal.note(`  - ${words}`);
          }
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

interface RestoreOptions extends GlobalOptions {
  readonly force?: boolean;
}

/** `restore <folder>`: restores a backup, and keeps what it replaces. */
export function restoreCommand(deps: CommandDependencies): Command {
  return defineCommand('restore', 'restore a backup into the data folder; the newsroom must be stopped')
    .argument('<folder>', 'a folder that `backup` wrote')
    .option('--force', 'also replace a configuration that differs; the present one is kept beside it')
    .action(
      action(deps, async (terminal, options: RestoreOptions, folder: string) => {
        const from = resolve(deps.context.cwd, folder);
        const [{ restore }, { readContents, restoreConfiguration }] = await Promise.all([
          import('../../storage/sqlite/restore.ts'),
          import('../backup-configuration.ts'),
        ]);
        const contents = readContents(from);
        const { config, env } = await restoredConfig(deps.context, options, from, contents);
        const progress = new Progress(terminal);
        const now = Date.now();
        try {
          const restored = await restore({
            data: config.data,
            from,
            program: programVersion(),
            now,
            onProgress: (words, done, of) => progress.show(words, done, of),
          });
          progress.clear();
          const target = { file: config.file, replace: options.force ?? false, now };
          const files = contents === null ? null : await restoreConfiguration(from, contents, target);
          const toDo = {
            missing: await missingSecretsOf(config.file, env),
            removed: contents?.configuration.removed ?? [],
          };
          if (options.json) {
            terminal.json({ ...restored, configuration: files, ...toDo });
            return EXIT.ok;
          }
          const { files: count, createdAt, replaced, wayBack } = restored;
          const when = formatMoment(Date.parse(createdAt));
          terminal.out(`${formatCount(count, 'file')} restored to the state of ${when}.`);
          if (replaced !== null)
            terminal.out(
              wayBack
                ? `The replaced data is kept. To undo: kawaraban restore ${replaced}`
                : `The replaced data is kept in ${replaced}; it is damaged and cannot be restored as it is.`,
            );
          for (const path of files?.written ?? []) terminal.out(`${path} restored.`);
          for (const path of files?.moved ?? []) terminal.out(`The replaced one is kept: ${path}`);
          for (const path of files?.kept ?? [])
            terminal.note(`${path} differs from the backup and was kept; --force replaces it.`);
          printToDo(terminal, toDo);
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

interface ToDo {
  /** Secrets that are not set. */
  readonly missing: readonly string[];
  /** Places of the configuration whose secrets the backup does not hold. */
  readonly removed: readonly string[];
}

function printToDo(terminal: Terminal, { missing, removed }: ToDo): void {
  if (missing.length > 0) {
    terminal.note('Set these secrets before you start:');
    for (const words of missing) terminal.note(`  ${words}`);
  }
  if (removed.length > 0)
    terminal.note(
      `The backup holds no secret that stood here; write it again if it is missing: ${removed.join(', ')}`,
    );
}

async function missingSecretsOf(file: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const [{ loadConfig }, { missingSecrets }] = await Promise.all([
    import('../../config/config.ts'),
    import('../../config/secrets.ts'),
  ]);
  const loaded = loadConfig(file, env, { secrets: 'ignore' });
  const missing = loaded.ok ? missingSecrets(loaded.document, env, dirname(file)) : [];
  return missing.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** The present configuration, or that of the backup where there is none, as on a new machine. */
async function restoredConfig(
  context: CliContext,
  options: GlobalOptions,
  backup: string,
  contents: BackupContents | null,
): Promise<LoadedConfiguration> {
  const path = configOrSamplePath(context, options.config);
  const { configurationIn } = await import('../backup-configuration.ts');
  const text = contents === null || existsSync(path) ? null : configurationIn(backup, contents);
  if (text === null) return embeddedConfig(context, options, 'restore');
  const { parseConfig } = await import('../../config/config.ts');
  const env = environmentFor(context, path);
  const parsed = parseConfig(text, path, env, { secrets: 'ignore' });
  if (!parsed.ok) throw new CommandError(formatProblems(parsed.problems), EXIT.badConfig);
  return { ...parsed, env };
}

async function embeddedConfig(
  context: CliContext,
  options: GlobalOptions,
  command: string,
): Promise<LoadedConfiguration> {
  const { config, document } = await loadCheckedConfig(context, options.config, { secrets: 'ignore' });
  if (config.engine.kind === 'embedded')
    return { config, document, env: environmentFor(context, config.file) };
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
