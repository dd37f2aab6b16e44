import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT, type ExitCode } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { formatCount } from '../format.ts';
import { type CliContext, Progress, type Terminal } from '../terminal.ts';
import { checkPipelines, withSources } from '../with-sources.ts';
import { folderOption } from './source-changes.ts';

export interface OpmlImportOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly folder?: string;
  readonly dryRun?: boolean;
}

/** `sources import <file>`: the feeds of another feed reader. */
export function importSourcesCommand(deps: CommandDependencies): Command {
  return defineCommand('import', 'add the feeds of an OPML file, in the folders of the file')
    .argument('<file>', 'OPML file of a feed reader')
    .option('-p, --pipeline <id>', 'let this pipeline use them')
    .option('--folder <folder>', 'put them into this folder, such as Tech or News/World')
    .option('-n, --dry-run', 'show what would be added and add nothing')
    .action(
      action(deps, (terminal, options: OpmlImportOptions, file: string) =>
        importOpml(terminal, options, file, deps.context),
      ),
    );
}

/** Adds the feeds of an OPML file. */
export function importOpml(
  terminal: Terminal,
  options: OpmlImportOptions,
  file: string,
  context: CliContext,
): Promise<ExitCode> {
  return withSources(context, options, async ({ config, editing }) => {
    const { pipeline, folder = '', dryRun = false } = options;
    checkPipelines(config, pipeline === undefined ? [] : [pipeline]);
    const progress = new Progress(terminal);
    const result = await editing.importOpml(await readFile(resolve(context.cwd, file), 'utf8'), {
      dryRun,
      folders: folderOption(folder),
      ...(pipeline !== undefined && { pipeline }),
      onProgress: (done) => progress.show('Reading', done),
    });
    progress.clear();
    if (!result.ok) throw new CommandError(`nothing was added from ${file}: ${result.detail}`, EXIT.badData);
    const { added, known, skipped } = result;
    if (options.json) terminal.json({ added, known, skipped });
    else {
      for (const { id, url } of added) terminal.out(`${id}  ${url}`);
      const left = skipped > 0 ? `, ${skipped} repeated or without a usable address` : '';
      terminal.note(
        `${formatCount(added.length, 'feed')} ${dryRun ? 'would be added' : 'added'}, ${known} known already${left}.`,
      );
    }
    return EXIT.ok;
  });
}

interface ExportOptions extends GlobalOptions {
  readonly yaml?: boolean;
  readonly opml?: boolean;
  readonly output?: string;
  readonly force?: boolean;
}

/** `sources export`: all sources as a configuration, or the feeds among them as OPML. */
export function exportSourcesCommand(deps: CommandDependencies): Command {
  return defineCommand('export', 'export the sources: as a configuration, or as OPML for feed readers')
    .option('--yaml', 'the whole configuration with all sources in it')
    .option('--opml', 'the feeds, for feed readers')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace an existing file')
    .action(
      action(deps, (terminal, options: ExportOptions) => {
        if (options.yaml === options.opml)
          throw new CommandError('say what to write: --yaml or --opml', EXIT.usage);
        return exportSources(terminal, options, options.yaml ? 'yaml' : 'opml', deps.context);
      }),
    );
}

/** Writes the sources to a file or to standard output. */
export function exportSources(
  terminal: Terminal,
  options: Pick<ExportOptions, 'config' | 'output' | 'force'>,
  format: 'yaml' | 'opml',
  context: CliContext,
): Promise<ExitCode> {
  return withSources(context, options, async ({ config, catalogue, editing }) => {
    let text: string;
    if (format === 'opml') text = await editing.exportOpml();
    else {
      const { exportYaml } = await import('../../sources/export-yaml.ts');
      text = exportYaml(await readFile(config.file, 'utf8'), catalogue.all(), config);
    }
    if (options.output === undefined) terminal.out(text.trimEnd());
    else
      await writeFileAtomically(resolve(context.cwd, options.output), text, {
        replace: options.force ?? false,
      });
    return EXIT.ok;
  });
}
