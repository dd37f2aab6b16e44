import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { configPath, environmentFor, listed } from '../open-config.ts';
import { RefusalError } from '../refusal.ts';
import { countWords } from '../words.ts';
import { writeWhole } from '../write-file.ts';

interface ImportOptions extends EveryOption {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `import <file.opml>`: puts the feeds of a feed reader into the configuration. */
export function importCommand(parts: CommandParts): Command {
  return commandNamed('import', 'add the feeds of an OPML file to the configuration')
    .argument('<file>', 'OPML file, as feed readers export it')
    .option('-p, --pipeline <id>', 'also let this pipeline follow them')
    .option('-n, --dry-run', 'show what would be added and write nothing')
    .action(
      action(parts, async (terminal, options: ImportOptions, file: string) => {
        const [{ readOpml }, { addSources }, { loadConfig, parseConfig }] = await Promise.all([
          import('../../config/opml.ts'),
          import('../../config/add-sources.ts'),
          import('../../config/config.ts'),
        ]);
        const path = configPath(parts.house, options.config);
        const env = environmentFor(parts.house, path);
        const before = loadConfig(path, env, { secrets: 'ignore' });
        if (!before.ok) throw new RefusalError(listed(before.problems), EXIT.badConfig);
        if (options.pipeline !== undefined && before.config.pipelines[options.pipeline] === undefined)
          throw new RefusalError(`there is no pipeline \`${options.pipeline}\``, EXIT.notFound);
        const opml = readOpml(await readFile(resolve(parts.house.cwd, file), 'utf8'));
        if (!opml.ok) throw new RefusalError(`${file} ${opml.why}`, EXIT.badData);
        const result = addSources(await readFile(path, 'utf8'), opml.feeds, options.pipeline);
        const after = parseConfig(result.text, path, env, { secrets: 'ignore' });
        if (!after.ok)
          throw new RefusalError(`nothing was written, since ${listed(after.problems)}`, EXIT.badData);
        if (!options.dryRun && result.added.length > 0)
          await writeWhole(path, result.text, { replace: true });
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
      }),
    );
}
