import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config, LoadedConfig, LoadOptions } from '../config/config.ts';
import { formatProblem, type Problem } from '../config/problems.ts';
import { CommandError, EXIT } from './errors.ts';
import type { CliContext } from './terminal.ts';

const CONFIG_NAME = 'kawaraban.yaml';

/** Configuration of the sample newsroom, beside its data, below the folder it was started in. */
export const SAMPLE_CONFIG = join('data', 'sample', CONFIG_NAME);

/** Path of the configuration: the one named, else KAWARABAN_CONFIG, else the one in this folder. */
export function configPath(context: CliContext, named: string | undefined): string {
  const full = resolve(context.cwd, named ?? context.env.KAWARABAN_CONFIG ?? CONFIG_NAME);
  const near = relative(process.cwd(), full);
  // Relative paths are shorter in messages, and valid inside the working directory.
  return near !== '' && !near.startsWith('..') ? near : full;
}

/** Like `configPath`, but falls back to the sample newsroom if it was started here. */
export function configOrSamplePath(context: CliContext, named: string | undefined): string {
  const path = configPath(context, named);
  const chosen = named !== undefined || context.env.KAWARABAN_CONFIG !== undefined || existsSync(path);
  if (chosen || !existsSync(resolve(context.cwd, SAMPLE_CONFIG))) return path;
  return configPath(context, SAMPLE_CONFIG);
}

/** Loads the configuration; fails with a list of all problems. */
export async function openConfig(
  context: CliContext,
  named: string | undefined,
  options: LoadOptions = {},
): Promise<Config> {
  return (await loadCheckedConfig(context, named, options)).config;
}

/** Like `openConfig`, with the secrets that are missing where they are optional. */
export async function loadCheckedConfig(
  context: CliContext,
  named: string | undefined,
  options: LoadOptions,
): Promise<Extract<LoadedConfig, { ok: true }>> {
  const path = configOrSamplePath(context, named);
  const { loadConfigWithPlugins } = await import('../config/config.ts');
  const loaded = await loadConfigWithPlugins(path, environmentFor(context, path), options);
  if (loaded.ok) return loaded;
  throw new CommandError(formatProblems(loaded.problems), EXIT.badConfig);
}

/** The environment, with a `.env` file beside the configuration for variables that are not set. */
export function environmentFor(context: CliContext, path: string): NodeJS.ProcessEnv {
  const file = join(dirname(resolve(context.cwd, path)), '.env');
  if (!existsSync(file)) return context.env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...context.env };
  } catch (cause) {
    throw new CommandError(`${file} cannot be read`, EXIT.badConfig, { cause });
  }
}

export function formatProblems(problems: readonly Problem[]): string {
  const [first] = problems;
  if (problems.length === 1 && first !== undefined) return formatProblem(first);
  return [
    `the configuration has ${problems.length} problems:`,
    ...problems.map((each) => `  ${formatProblem(each)}`),
  ].join('\n');
}

export interface WriteOptions {
  /** Without it, an existing file is kept and the command fails. */
  readonly replace?: boolean;
  /** Permissions of a new file. */
  readonly mode?: number;
}

/** Writes a file atomically. */
export function writeFileAtomically(
  path: string,
  content: string,
  options: WriteOptions = {},
): Promise<void> {
  return writeThenRename(path, options, (file) => file.writeFile(content));
}

/** Like `writeFileAtomically`, for more lines than fit into memory. */
export function writeLinesAtomically(
  path: string,
  lines: AsyncIterable<string>,
  options: WriteOptions = {},
): Promise<void> {
  return writeThenRename(path, options, async (file) => {
    for await (const line of lines) await file.write(`${line}\n`);
  });
}

/** Writes to a temporary file beside it, which is renamed once it is synced. */
async function writeThenRename(
  path: string,
  { replace = false, mode = 0o644 }: WriteOptions,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const file = await open(part, 'wx', mode);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    if (replace) await rename(part, path);
    else await link(part, path);
  } catch (error) {
    throw toCommandError(error, path);
  } finally {
    await rm(part, { force: true });
  }
}

function toCommandError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const cannot = (sentence: string): CommandError =>
    new CommandError(`${path} ${sentence}`, EXIT.cannotWrite, { cause: error });
  switch (code) {
    case 'EEXIST':
      return cannot('exists already and was not changed');
    case 'ENOENT':
      return cannot(`cannot be written: the folder ${dirname(path)} does not exist`);
    case 'ENOTDIR':
      return cannot(`cannot be written: ${dirname(path)} is not a folder`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return cannot(`cannot be written: this user may not write in ${dirname(path)}`);
    case 'EISDIR':
      return cannot('cannot be written: it is a folder');
    case 'ENOSPC':
    case 'EDQUOT':
      return new CommandError(`${path} cannot be written: the disk is full`, EXIT.diskFull, { cause: error });
    default:
      return error;
  }
}
