import type { Command } from 'commander';
import type { SourceChange } from '../../sources/source-catalogue.ts';
import { parseFolder } from '../../sources/source-folders.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT, type ExitCode } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import { assertEdited, checkPipelines, withSources } from '../with-sources.ts';

const MAX_NAME_LENGTH = 100;
const MAX_FOLDERS = 10;

/** `sources remove <id>`. */
export function removeCommand(deps: CommandDependencies): Command {
  return defineCommand('remove', 'remove a source; one of the configuration file is removed there')
    .argument('<id>', 'ID of the source')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string) =>
        withSources(deps.context, options, async (sources) => {
          assertEdited(await sources.editing.remove(id), id, sources);
          if (options.json) terminal.json({ removed: id });
          else terminal.out(`${id} was removed.`);
          return EXIT.ok;
        }),
      ),
    );
}

/** `sources rename <id> <name>`. */
export function renameCommand(deps: CommandDependencies): Command {
  return defineCommand('rename', 'give a source another display name')
    .argument('<id>', 'ID of the source')
    .argument('<name>', 'its new display name')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string, written: string) => {
        const name = written.trim();
        if (name === '' || name.length > MAX_NAME_LENGTH)
          throw new CommandError(`a name has 1 to ${MAX_NAME_LENGTH} characters`, EXIT.usage);
        return applyChange(deps, terminal, options, id, { name }, `called "${name}"`);
      }),
    );
}

/** `sources pause <id>`. */
export function pauseCommand(deps: CommandDependencies): Command {
  return switchCommand(deps, 'pause', 'pause a source: it is not polled until it is resumed', false).alias(
    'disable',
  );
}

/** `sources resume <id>`. */
export function resumeCommand(deps: CommandDependencies): Command {
  return switchCommand(deps, 'resume', 'resume a paused source', true).alias('enable');
}

function switchCommand(deps: CommandDependencies, name: string, words: string, enabled: boolean): Command {
  return defineCommand(name, words)
    .argument('<id>', 'ID of the source')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string) =>
        applyChange(deps, terminal, options, id, { enabled }, enabled ? 'enabled' : 'paused'),
      ),
    );
}

/** `sources move <id> [folder]`. */
export function moveCommand(deps: CommandDependencies): Command {
  return defineCommand('move', 'move a source into a folder, or out of its folder')
    .argument('<id>', 'ID of the source')
    .argument('[folder]', 'the folder, such as Tech or News/World (default: none)')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string, written?: string) => {
        const folders = folderOption(written ?? '');
        const where = folders.length === 0 ? 'in no folder' : `in the folder ${folders.join('/')}`;
        return applyChange(deps, terminal, options, id, { folders }, where);
      }),
    );
}

/** `sources assign <id> [pipelines…]`. */
export function assignCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'assign',
    'let exactly these pipelines use a source, besides those whose configuration names it or its folder',
  )
    .argument('<id>', 'ID of the source')
    .argument('[pipelines...]', 'IDs of the pipelines (default: none)')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string, written: readonly string[] = []) => {
        const pipelines = [...new Set(written)];
        const to = pipelines.join(', ') || 'no pipeline';
        return applyChange(deps, terminal, options, id, { pipelines }, `assigned to ${to}`);
      }),
    );
}

/** Changes a source and prints its new state. */
function applyChange(
  deps: CommandDependencies,
  terminal: Terminal,
  options: GlobalOptions,
  id: string,
  change: SourceChange,
  state: string,
): Promise<ExitCode> {
  return withSources(deps.context, options, async (sources) => {
    checkPipelines(sources.config, change.pipelines ?? []);
    const { changed } = assertEdited(await sources.editing.update(id, change), id, sources);
    if (options.json) terminal.json({ source: id, ...change, changed });
    else terminal.out(`${id} is ${changed ? 'now' : 'already'} ${state}.`);
    return EXIT.ok;
  });
}

/** A folder as written on the command line. */
export function folderOption(written: string): readonly string[] {
  const folders = parseFolder(written);
  if (folders.length > MAX_FOLDERS || folders.some((name) => name.length > MAX_NAME_LENGTH))
    throw new CommandError(
      `a folder is at most ${MAX_FOLDERS} deep, and each name has at most ${MAX_NAME_LENGTH} characters`,
      EXIT.usage,
    );
  return folders;
}
