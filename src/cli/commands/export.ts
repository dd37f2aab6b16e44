import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelinesOf } from '../find-item.ts';
import { openConfig } from '../open-config.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import { withApp } from '../with-app.ts';
import { countWords } from '../words.ts';
import { writeWhole, writingRefusal } from '../write-file.ts';

interface ExportOptions extends EveryOption {
  readonly pipeline?: string;
  readonly format: 'jsonl' | 'opml';
  readonly output?: string;
  readonly force?: boolean;
}

const PAGE = 200;

/** `export`: every item with its whole story, or the list of feeds. */
export function exportCommand(parts: CommandParts): Command {
  return commandNamed('export', 'write out every item with its history, or the list of feeds')
    .addOption(
      new Option(
        '-f, --format <format>',
        'jsonl: items, one JSON object a line; opml: feeds, for feed readers',
      )
        .choices(['jsonl', 'opml'])
        .default('jsonl'),
    )
    .option('-p, --pipeline <id>', 'only items of this pipeline')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace the file if it is there')
    .action(
      action(parts, async (terminal, options: ExportOptions) => {
        const path = options.output === undefined ? null : resolve(parts.house.cwd, options.output);
        if (options.format === 'opml') {
          const config = await openConfig(parts.house, options.config, { secrets: 'ignore' });
          const { writeOpml } = await import('../../config/opml.ts');
          const text = writeOpml(Object.values(config.sources));
          if (path === null) terminal.out(text.trimEnd());
          else await writeWhole(path, text, { replace: options.force ?? false });
          return EXIT.ok;
        }
        return withApp(parts.house, options, async (app) => {
          const stopping = new Stopping(terminal);
          const progress = new Progress(terminal);
          let done = 0;
          const lines = linesOf(app, options.pipeline, stopping.signal, () =>
            progress.show('Exporting', ++done),
          );
          try {
            if (path === null) for await (const line of lines) terminal.out(line);
            else await writeLines(path, lines, options.force ?? false);
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (stopping.signal.aborted)
            throw new RefusalError(
              `stopped after ${countWords(done, 'item')}${path === null ? '' : '; nothing was written'}`,
            );
          if (path !== null) terminal.note(`${countWords(done, 'item')} written to ${path}.`);
          return EXIT.ok;
        });
      }),
    );
}

async function* linesOf(
  app: App,
  named: string | undefined,
  signal: AbortSignal,
  onItem: () => void,
): AsyncGenerator<string> {
  for (const pipeline of pipelinesOf(app, named)) {
    let cursor: string | null = null;
    do {
      const page = await pipeline.ledger.list({ limit: PAGE, ...(cursor !== null && { cursor }) });
      for (const item of page.items) {
        if (signal.aborted) return;
        const explanation = await app.newsroom.explain(pipeline.id, item.key);
        if (explanation === null) continue;
        onItem();
        yield JSON.stringify(explanation);
      }
      cursor = page.next;
    } while (cursor !== null);
  }
}

/** Streams into a file beside it and moves that into place at the very end. */
async function writeLines(path: string, lines: AsyncIterable<string>, replace: boolean): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  const file = createWriteStream(part, { flags: 'wx' });
  try {
    const opened = once(file, 'open');
    await opened;
    for await (const line of lines) if (!file.write(`${line}\n`)) await once(file, 'drain');
    file.end();
    await once(file, 'close');
    if (replace) await rename(part, path);
    else await link(part, path);
  } catch (error) {
    file.destroy();
    throw writingRefusal(error, path);
  } finally {
    await rm(part, { force: true });
  }
}
