import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openConfig } from '../open-config.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import type { House } from '../terminal.ts';
import { version } from '../with-app.ts';
import { countWords, momentWords } from '../words.ts';

/** `backup <folder>`: a copy of the data folder, made while the newsroom runs. */
export function backupCommand(parts: CommandParts): Command {
  return commandNamed('backup', 'copy the data folder, also while the newsroom runs')
    .argument('<folder>', 'a folder that is not there yet')
    .action(
      action(parts, async (terminal, options: EveryOption, folder: string) => {
        const config = await embeddedConfig(parts.house, options, 'backup');
        const { backUp } = await import('../../app/backup.ts');
        const progress = new Progress(terminal);
        const stopping = new Stopping(terminal);
        const to = resolve(parts.house.cwd, folder);
        try {
          const manifest = await backUp({
            data: config.data,
            to,
            program: version(),
            now: Date.now(),
            signal: stopping.signal,
            onProgress: (name, done, of) => progress.show(`Copying ${name}`, done, of),
          });
          progress.clear();
          if (options.json) terminal.json({ folder: to, ...manifest });
          else terminal.out(`${countWords(manifest.files.length, 'file')} copied to ${to} and checked.`);
          return EXIT.ok;
        } catch (error) {
          if (!stopping.signal.aborted) throw error;
          throw new RefusalError('stopped before the end; nothing was written');
        } finally {
          progress.clear();
          stopping[Symbol.dispose]();
        }
      }),
    );
}

/** `restore <folder>`: brings a backup back, and keeps what it replaces. */
export function restoreCommand(parts: CommandParts): Command {
  return commandNamed('restore', 'bring a backup back into the data folder; the newsroom must be stopped')
    .argument('<folder>', 'a folder that `backup` wrote')
    .action(
      action(parts, async (terminal, options: EveryOption, folder: string) => {
        const config = await embeddedConfig(parts.house, options, 'restore');
        const { restore } = await import('../../app/restore.ts');
        const progress = new Progress(terminal);
        try {
          const restored = await restore({
            data: config.data,
            from: resolve(parts.house.cwd, folder),
            program: version(),
            now: Date.now(),
            onProgress: (words, done, of) => progress.show(words, done, of),
          });
          progress.clear();
          if (options.json) {
            terminal.json(restored);
            return EXIT.ok;
          }
          const { files, createdAt, replaced, wayBack } = restored;
          const when = momentWords(Date.parse(createdAt));
          terminal.out(`${countWords(files, 'file')} restored to the state of ${when}.`);
          if (replaced !== null)
            terminal.out(
              wayBack
                ? `What was there before is kept. The way back: kawaraban restore ${replaced}`
                : `What was there before is kept in ${replaced}; it is damaged and cannot be restored as it is.`,
            );
          terminal.note(
            'What was posted after that moment is not known here any more: look at what waits (kawaraban items) before you start.',
          );
          return EXIT.ok;
        } finally {
          progress.clear();
        }
      }),
    );
}

async function embeddedConfig(house: House, options: EveryOption, command: string): Promise<Config> {
  const config = await openConfig(house, options.config, { secrets: 'ignore' });
  if (config.engine.kind === 'embedded') return config;
  throw new RefusalError(
    `${command} is for the embedded engine. Firestore is backed up by Google (gcloud firestore export); kawaraban export writes out a pipeline’s memory on both engines`,
    EXIT.usage,
  );
}
