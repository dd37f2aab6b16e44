import { dirname } from 'node:path';
import type { OpenedSources } from '../app/maintenance.ts';
import { programVersion } from '../assets/assets.ts';
import type { Config } from '../config/config.ts';
import { suggestion } from '../config/problems.ts';
import type { EditResult } from '../sources/source-editing.ts';
import type { GlobalOptions } from './command.ts';
import { CommandError, EXIT } from './errors.ts';
import { configOrSamplePath, environmentFor, openConfig } from './files.ts';
import type { CliContext } from './terminal.ts';

export interface CommandSources extends OpenedSources {
  readonly config: Config;
}

/** Opens the sources, and nothing else, for one piece of work; needs no secret but the engine's. */
export async function withSources<Result>(
  context: CliContext,
  options: GlobalOptions,
  work: (sources: CommandSources) => Promise<Result>,
): Promise<Result> {
  const config = await openConfig(context, options.config, { secrets: 'ignore' });
  if (config.engine.kind === 'distributed') {
    const env = environmentFor(context, configOrSamplePath(context, options.config));
    config.engine.firestore.credentials?.load(env, dirname(config.file));
  }
  const { openSources } = await import('../app/maintenance.ts');
  const sources = await openSources(config, programVersion());
  try {
    return await work({ ...sources, config });
  } finally {
    await sources[Symbol.asyncDispose]();
  }
}

/** The result of a change; fails with its reason otherwise. */
export function assertEdited<T>(
  edited: EditResult<T>,
  id: string,
  { catalogue }: Pick<OpenedSources, 'catalogue'>,
): { readonly ok: true } & T {
  if (edited.ok) return edited;
  if (edited.why === 'unknown') {
    const ids = catalogue.all().map(({ settings }) => settings.id);
    throw new CommandError(`there is no source \`${id}\`: ${suggestion(id, ids)}`, EXIT.notFound);
  }
  throw new CommandError(
    `nothing was changed: ${edited.detail}`,
    edited.why === 'unreachable' ? EXIT.unavailable : EXIT.cannotWrite,
  );
}

/** Fails with the nearest ID if one of these is no pipeline. */
export function checkPipelines({ pipelines }: Config, ids: readonly string[]): void {
  for (const id of ids)
    if (!Object.hasOwn(pipelines, id))
      throw new CommandError(
        `there is no pipeline \`${id}\`: ${suggestion(id, Object.keys(pipelines))}`,
        EXIT.notFound,
      );
}
