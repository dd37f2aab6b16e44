import type { Command } from 'commander';
import { errorMessage } from '../../telemetry/errors.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { editableConfig, sourceNamed } from '../edit-config.ts';
import { EXIT } from '../exit-codes.ts';
import { RefusalError } from '../refusal.ts';

/** Told after every change of the file. */
export const AFTER_EDIT = 'A newsroom that is running takes it up when it is started again.';

/** `sources remove <id>`. */
export function removeCommand(parts: CommandParts): Command {
  return commandNamed('remove', 'take a source out of the configuration; its items stay')
    .argument('<id>', 'ID of the source')
    .action(
      action(parts, async (terminal, options: EveryOption, id: string) => {
        const file = await editableConfig(parts.house, options.config);
        sourceNamed(file.config, id);
        const followers = Object.values(file.config.pipelines).filter(({ sources }) => sources.includes(id));
        const alone = followers.filter(({ sources }) => sources.every((source) => source === id));
        if (alone.length > 0)
          throw new RefusalError(
            `nothing was changed: ${alone.map((pipeline) => `\`${pipeline.id}\``).join(', ')} would be left without a source; give it another one first, or use \`kawaraban sources disable ${id}\``,
          );
        const [{ removeSource }, { forgetSource }] = await Promise.all([
          import('../../config/edit-sources.ts'),
          import('../../app/forget-source.ts'),
        ]);
        const after = await file.write(removeSource(file.text, id));
        try {
          await forgetSource(after, id);
        } catch (cause) {
          const why = errorMessage(cause);
          throw new RefusalError(
            `${id} is out of ${file.path}, but what was remembered of it could not be removed, so that it would go on where it was should it come back: ${why}`,
            EXIT.unavailable,
            { cause },
          );
        }
        const pipelines = followers.map((pipeline) => pipeline.id);
        if (options.json) terminal.json({ file: file.path, removed: id, pipelines });
        else {
          const from = pipelines.length > 0 ? `, and ${pipelines.join(', ')} no longer follows it` : '';
          terminal.out(`${id} is out of ${file.path}${from}. Its items stay.`);
          terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}

/** `sources enable <id>` and `sources disable <id>`. */
export function switchCommand(parts: CommandParts, name: 'enable' | 'disable'): Command {
  const on = name === 'enable';
  return commandNamed(name, on ? 'read a source again' : 'leave a source unread until it is enabled again')
    .argument('<id>', 'ID of the source')
    .action(
      action(parts, async (terminal, options: EveryOption, id: string) => {
        const file = await editableConfig(parts.house, options.config);
        const changed = sourceNamed(file.config, id).enabled !== on;
        if (changed) {
          const { switchSource } = await import('../../config/edit-sources.ts');
          await file.write(switchSource(file.text, id, on));
        }
        if (options.json) terminal.json({ file: file.path, source: id, enabled: on, changed });
        else {
          terminal.out(`${id} is ${on ? 'on' : 'off'}${changed ? ' now' : ' already'}.`);
          if (changed) terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}
