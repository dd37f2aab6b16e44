import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT, type ExitCode } from '../errors.ts';
import {
  configPath,
  environmentFor,
  formatProblems,
  openConfig,
  writeFileAtomically,
  writeLinesAtomically,
} from '../files.ts';
import { formatCount } from '../format.ts';
import { selectOnePipeline, selectPipelines } from '../lookup.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { type CliContext, Progress, type Terminal } from '../terminal.ts';

interface ImportOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `import <file>`: what `export` wrote, or the feeds of a feed reader. */
export function importCommand(deps: CommandDependencies): Command {
  return defineCommand('import', 'add the feeds of an OPML file, or import an exported pipeline')
    .argument('<file>', 'OPML file of a feed reader, or a file written by `export`')
    .option(
      '-p, --pipeline <id>',
      'OPML: also let this pipeline follow them; export: the pipeline to import into',
    )
    .option('-n, --dry-run', 'OPML: show what would be added and write nothing')
    .action(
      action(deps, async (terminal, options: ImportOptions, file: string) => {
        const path = resolve(deps.context.cwd, file);
        return (await beginning(path)).startsWith('{')
          ? importLedgerFile(terminal, options, path, deps.context)
          : importFeeds(terminal, options, file, deps.context);
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
  options: ImportOptions,
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

/** Keeps comments and order of the configuration, and writes it only if it is still valid. */
async function importFeeds(
  terminal: Terminal,
  options: ImportOptions,
  file: string,
  context: CliContext,
): Promise<ExitCode> {
  const [{ readOpmlSources }, { addSources }, { loadConfig, parseConfig }] = await Promise.all([
    import('../../config/edit-sources.ts'),
    import('../../config/edit-sources.ts'),
    import('../../config/config.ts'),
  ]);
  const path = configPath(context, options.config);
  const env = environmentFor(context, path);
  const before = loadConfig(path, env, { secrets: 'ignore' });
  if (!before.ok) throw new CommandError(formatProblems(before.problems), EXIT.badConfig);
  if (options.pipeline !== undefined && before.config.pipelines[options.pipeline] === undefined)
    throw new CommandError(`there is no pipeline \`${options.pipeline}\``, EXIT.notFound);
  const progress = new Progress(terminal);
  const opml = readOpmlSources(await readFile(resolve(context.cwd, file), 'utf8'), {
    onProgress: (done) => progress.show('Reading', done),
  });
  progress.clear();
  if (!opml.ok) throw new CommandError(`${file} ${opml.why}`, EXIT.badData);
  const result = addSources(await readFile(path, 'utf8'), opml.feeds, options.pipeline);
  const after = parseConfig(result.text, path, env, { secrets: 'ignore' });
  if (!after.ok)
    throw new CommandError(`nothing was written, since ${formatProblems(after.problems)}`, EXIT.badData);
  if (!options.dryRun && result.added.length > 0)
    await writeFileAtomically(path, result.text, { replace: true });
  if (options.json)
    terminal.json({ file: path, added: result.added, known: result.known, skipped: opml.skipped });
  else {
    for (const { id, url } of result.added) terminal.out(`${id}  ${url}`);
    const skipped = opml.skipped > 0 ? `, ${opml.skipped} repeated or without a usable address` : '';
    terminal.note(
      `${formatCount(result.added.length, 'feed')} ${options.dryRun ? 'would be added' : 'added'} to ${path}, ${result.known} known already${skipped}.`,
    );
  }
  return EXIT.ok;
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
        if (options.format === 'opml') {
          const config = await openConfig(deps.context, options.config, { secrets: 'ignore' });
          const { writeOpmlSources } = await import('../../config/edit-sources.ts');
          const text = await writeOpmlSources(Object.values(config.sources));
          if (path === null) terminal.out(text.trimEnd());
          else await writeFileAtomically(path, text, { replace });
          return EXIT.ok;
        }
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
