import { resolve } from 'node:path';
import type { Command } from 'commander';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openConfig } from '../open-config.ts';
import { RefusalError } from '../refusal.ts';
import { countWords } from '../words.ts';
import { writeWhole } from '../write-file.ts';

interface IndexesOptions extends EveryOption {
  readonly output?: string;
  readonly offline?: boolean;
  readonly force?: boolean;
}

/** `indexes`: the `firestore.indexes.json` of the configuration, with the collections of every pipeline. */
export function indexesCommand(parts: CommandParts): Command {
  return commandNamed('indexes', 'write firestore.indexes.json for the pipelines of the configuration')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--offline', 'do not ask Firestore which pipeline of a kind came first: the first one is')
    .option('--force', 'replace the file if it is there')
    .action(
      action(parts, async (terminal, options: IndexesOptions) => {
        const secrets = options.offline ? ({ secrets: 'ignore' } as const) : {};
        const config = await openConfig(parts.house, options.config, secrets);
        const { collectionsOf, indexesFile, isDistributed } = await import('../../app/firestore-indexes.ts');
        if (!isDistributed(config))
          throw new RefusalError('there are no indexes: the configuration uses the embedded engine');
        const { withFirestore } = await import('../../app/firestore-connection.ts');
        const sets = options.offline
          ? await collectionsOf(config, null)
          : await withFirestore(config.engine, (connection) => collectionsOf(config, connection));
        const file = indexesFile(sets);
        const text = `${JSON.stringify(file, null, 2)}\n`;
        if (options.output === undefined) terminal.out(text.trimEnd());
        else {
          await writeWhole(resolve(parts.house.cwd, options.output), text, {
            replace: options.force ?? false,
          });
          terminal.note(`${options.output}: ${countWords(file.indexes.length, 'index', 'indexes')}.`);
        }
        return EXIT.ok;
      }),
    );
}
