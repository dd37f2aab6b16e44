import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onePipeline } from '../find-item.ts';
import { configPath, environmentFor, listed } from '../open-config.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import type { House, Terminal } from '../terminal.ts';
import { withApp } from '../with-app.ts';
import { countWords } from '../words.ts';
import { writeWhole } from '../write-file.ts';

interface ImportOptions extends EveryOption {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `import <file>`: what `export` wrote, or the feeds of a feed reader. */
export function importCommand(parts: CommandParts): Command {
  return commandNamed('import', 'add the feeds of an OPML file, or bring an exported pipeline back')
    .argument('<file>', 'OPML file of a feed reader, or a file written by `export`')
    .option(
      '-p, --pipeline <id>',
      'OPML: also let this pipeline follow them; export: the pipeline to bring it into',
    )
    .option('-n, --dry-run', 'OPML: show what would be added and write nothing')
    .action(
      action(parts, async (terminal, options: ImportOptions, file: string) => {
        const path = resolve(parts.house.cwd, file);
        return (await beginning(path)).startsWith('{')
          ? importMemory(terminal, options, path, parts.house)
          : importFeeds(terminal, options, file, parts.house);
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

function importMemory(
  terminal: Terminal,
  options: ImportOptions,
  path: string,
  house: House,
): Promise<ExitCode> {
  return withApp(house, options, async (app) => {
    const { importLedger } = await import('../../app/transfer.ts');
    const pipeline = onePipeline(app, options.pipeline);
    const lines = (): AsyncIterable<string> =>
      createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    const stopping = new Stopping(terminal);
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
          `${countWords(report.loaded, 'item')} brought into ${pipeline.id}, ${report.there} there already.`,
        );
      return EXIT.ok;
    } finally {
      progress.clear();
      stopping[Symbol.dispose]();
    }
  });
}

/** The configuration keeps its comments and its order, and is written only if it still passes the check. */
async function importFeeds(
  terminal: Terminal,
  options: ImportOptions,
  file: string,
  house: House,
): Promise<ExitCode> {
  const [{ readOpml }, { addSources }, { loadConfig, parseConfig }] = await Promise.all([
    import('../../config/opml.ts'),
    import('../../config/add-sources.ts'),
    import('../../config/config.ts'),
  ]);
  const path = configPath(house, options.config);
  const env = environmentFor(house, path);
  const before = loadConfig(path, env, { secrets: 'ignore' });
  if (!before.ok) throw new RefusalError(listed(before.problems), EXIT.badConfig);
  if (options.pipeline !== undefined && before.config.pipelines[options.pipeline] === undefined)
    throw new RefusalError(`there is no pipeline \`${options.pipeline}\``, EXIT.notFound);
  const progress = new Progress(terminal);
  const opml = readOpml(await readFile(resolve(house.cwd, file), 'utf8'), {
    onProgress: (done) => progress.show('Reading', done),
  });
  progress.clear();
  if (!opml.ok) throw new RefusalError(`${file} ${opml.why}`, EXIT.badData);
  const result = addSources(await readFile(path, 'utf8'), opml.feeds, options.pipeline);
  const after = parseConfig(result.text, path, env, { secrets: 'ignore' });
  if (!after.ok) throw new RefusalError(`nothing was written, since ${listed(after.problems)}`, EXIT.badData);
  if (!options.dryRun && result.added.length > 0) await writeWhole(path, result.text, { replace: true });
  if (options.json)
    terminal.json({ file: path, added: result.added, known: result.known, skipped: opml.skipped });
  else {
    for (const { id, url } of result.added) terminal.out(`${id}  ${url}`);
    const skipped = opml.skipped > 0 ? `, ${opml.skipped} repeated or without a usable address` : '';
    terminal.note(
      `${countWords(result.added.length, 'feed')} ${options.dryRun ? 'would be added' : 'added'} to ${path}, ${result.known} known already${skipped}.`,
    );
  }
  return EXIT.ok;
}
