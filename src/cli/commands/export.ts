import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { onePipeline, pipelinesOf } from '../find-item.ts';
import { openConfig } from '../open-config.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import { withApp } from '../with-app.ts';
import { countWords } from '../words.ts';
import { writeLines, writeWhole } from '../write-file.ts';

interface ExportOptions extends EveryOption {
  readonly pipeline?: string;
  readonly format: 'ledger' | 'items' | 'opml';
  readonly output?: string;
  readonly force?: boolean;
}

const PAGE = 200;

/** `export`: a pipeline's whole memory, its items with their stories, or the list of feeds. */
export function exportCommand(parts: CommandParts): Command {
  return commandNamed('export', 'write out a pipeline’s memory, its items, or the list of feeds')
    .addOption(
      new Option(
        '-f, --format <format>',
        'ledger: everything a pipeline knows, for `import`; items: each with its whole story, one JSON object a line; opml: feeds, for feed readers',
      )
        .choices(['ledger', 'items', 'opml'])
        .default('ledger'),
    )
    .option('-p, --pipeline <id>', 'of this pipeline')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace the file if it is there')
    .action(
      action(parts, async (terminal, options: ExportOptions) => {
        const path = options.output === undefined ? null : resolve(parts.house.cwd, options.output);
        const replace = options.force ?? false;
        if (options.format === 'opml') {
          const config = await openConfig(parts.house, options.config, { secrets: 'ignore' });
          const { writeOpml } = await import('../../config/opml.ts');
          const text = await writeOpml(Object.values(config.sources));
          if (path === null) terminal.out(text.trimEnd());
          else await writeWhole(path, text, { replace });
          return EXIT.ok;
        }
        return withApp(parts.house, options, async (app) => {
          const stopping = new Stopping(terminal);
          const progress = new Progress(terminal);
          let written = 0;
          const lines =
            options.format === 'ledger'
              ? ledgerLines(app, options, stopping.signal)
              : itemLines(app, options, stopping.signal);
          const counted = counting(lines, () => progress.show('Exporting', ++written));
          try {
            if (path === null) for await (const line of counted) terminal.out(line);
            else await writeLines(path, counted, { replace });
          } catch (error) {
            if (!stopping.signal.aborted) throw error;
            throw new RefusalError(`stopped before the end${path === null ? '' : '; nothing was written'}`);
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (path !== null) terminal.note(`${countWords(written, 'line')} written to ${path}.`);
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
  const { exportLedger } = await import('../../app/transfer.ts');
  yield* exportLedger(onePipeline(app, pipeline).ledger, { signal });
}

async function* itemLines(app: App, options: ExportOptions, signal: AbortSignal): AsyncGenerator<string> {
  for (const pipeline of pipelinesOf(app, options.pipeline)) {
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
