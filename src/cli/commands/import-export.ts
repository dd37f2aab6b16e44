import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT, type ExitCode } from '../errors.ts';
import { writeLinesAtomically } from '../files.ts';
import { formatCount } from '../format.ts';
import { selectOnePipeline, selectPipelines } from '../lookup.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { type CliContext, Progress, type Terminal } from '../terminal.ts';
import { exportSources, importOpml, type OpmlImportOptions } from './source-lists.ts';

/** `import <file>`: what `export` wrote, or the feeds of a feed reader. */
export function importCommand(deps: CommandDependencies): Command {
  return defineCommand('import', 'add the feeds of an OPML file, or import an exported pipeline')
    .argument('<file>', 'OPML file of a feed reader, or a file written by `export`')
    .option('-p, --pipeline <id>', 'OPML: let this pipeline use them; export: the pipeline to import into')
    .option('--folder <folder>', 'OPML: put them into this folder, such as Tech or News/World')
    .option('-n, --dry-run', 'OPML: show what would be added and add nothing')
    .action(
      action(deps, async (terminal, options: OpmlImportOptions, file: string) => {
        const path = resolve(deps.context.cwd, file);
        return (await beginning(path)).startsWith('{')
          ? importLedgerFile(terminal, options, path, deps.context)
          : importOpml(terminal, options, file, deps.context);
      }),
    );
}

async function beginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64) });
    return buffer.toString('utf8', 0, bytesRead).trimStart();
  } finally {
    await file.close();
  }
}

function importLedgerFile(
  terminal: Terminal,
  options: OpmlImportOptions,
  path: string,
  context: CliContext,
): Promise<ExitCode> {
  return withApp(context, options, async (app) => {
    const { importLedger } = await import('../../app/maintenance.ts');
    const pipeline = selectOnePipeline(app, options.pipeline);
    const lines = (): AsyncIterable<string> =>
      createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    const stopping = new ShutdownSignal(terminal);
    const progress = new Progress(terminal);
    try {
      const report = await importLedger(lines, pipeline.ledger, {
        signal: stopping.signal,
        onProgress: ({ records, phase }) =>
          progress.show(phase === 'checking' ? 'Checking' : 'Importing', records),
      });
      progress.clear();
      if (options.json) terminal.json({ pipeline: pipeline.id, ...report });
      else
        terminal.out(
          `${formatCount(report.loaded, 'item')} imported into ${pipeline.id}, ${report.there} existed already.`,
        );
      return EXIT.ok;
    } finally {
      progress.clear();
      stopping[Symbol.dispose]();
    }
  });
}

interface ExportOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly format: 'ledger' | 'items' | 'opml';
  readonly output?: string;
  readonly force?: boolean;
}

const PAGE = 200;

/** `export`: a pipeline's ledger, its items with their history, or the list of feeds. */
export function exportCommand(deps: CommandDependencies): Command {
  return defineCommand('export', 'export a pipeline’s ledger, its items, or the list of feeds')
    .addOption(
      new Option(
        '-f, --format <format>',
        'ledger: all records of a pipeline, for `import`; items: each with its history, one JSON object a line; opml: feeds, for feed readers',
      )
        .choices(['ledger', 'items', 'opml'])
        .default('ledger'),
    )
    .option('-p, --pipeline <id>', 'of this pipeline')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace an existing file')
    .action(
      action(deps, async (terminal, options: ExportOptions) => {
        const path = options.output === undefined ? null : resolve(deps.context.cwd, options.output);
        const replace = options.force ?? false;
        if (options.format === 'opml') return exportSources(terminal, options, 'opml', deps.context);
        return withApp(deps.context, options, async (app) => {
          const stopping = new ShutdownSignal(terminal);
          const progress = new Progress(terminal);
          let written = 0;
          const lines =
            options.format === 'ledger'
              ? ledgerLines(app, options, stopping.signal)
              : itemLines(app, options, stopping.signal);
          const counted = counting(lines, () => progress.show('Exporting', ++written));
          try {
            if (path === null) for await (const line of counted) terminal.out(line);
            else await writeLinesAtomically(path, counted, { replace });
          } catch (error) {
            if (!stopping.signal.aborted) throw error;
            throw new CommandError(`stopped before the end${path === null ? '' : '; nothing was written'}`);
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (path !== null) terminal.note(`${formatCount(written, 'line')} written to ${path}.`);
          return EXIT.ok;
        });
      }),
    );
}

async function* ledgerLines(
  app: App,
  { pipeline }: ExportOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { exportLedger } = await import('../../app/maintenance.ts');
  yield* exportLedger(selectOnePipeline(app, pipeline).ledger, { signal });
}

async function* itemLines(app: App, options: ExportOptions, signal: AbortSignal): AsyncGenerator<string> {
  for (const pipeline of selectPipelines(app, options.pipeline)) {
    let cursor: string | null = null;
    do {
      const page = await pipeline.ledger.list({ limit: PAGE, ...(cursor !== null && { cursor }) });
      for (const item of page.items) {
        signal.throwIfAborted();
        const explanation = await app.newsroom.explain(pipeline.id, item.key, 'owner');
        if (explanation !== null) yield JSON.stringify(explanation);
      }
      cursor = page.next;
    } while (cursor !== null);
  }
}

async function* counting(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine();
    yield line;
  }
}
