import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, link, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config, LoadOptions } from '../config/config.ts';
import { formatProblem, type Problem, suggestion } from '../config/problems.ts';
import { CommandError, EXIT } from './errors.ts';
import type { CliContext } from './terminal.ts';

const CONFIG_NAME = 'kawaraban.yaml';

/** Where the sample newsroom keeps its configuration and its data, below the folder that it was started in. */
export const SAMPLE_CONFIG = join('data', 'sample', CONFIG_NAME);

/** The configuration that a command is about: the one named, else KAWARABAN_CONFIG, else the one in this folder. */
export function configPath(house: CliContext, named: string | undefined): string {
  const full = resolve(house.cwd, named ?? house.env.KAWARABAN_CONFIG ?? CONFIG_NAME);
  const near = relative(process.cwd(), full);
  // Short paths read better in messages, as long as they mean the same from where the person stands.
  return near !== '' && !near.startsWith('..') ? near : full;
}

/** The same; but where there is none and the sample newsroom was started here, then that one's. */
export function configOrSamplePath(house: CliContext, named: string | undefined): string {
  const path = configPath(house, named);
  const chosen = named !== undefined || house.env.KAWARABAN_CONFIG !== undefined || existsSync(path);
  if (chosen || !existsSync(resolve(house.cwd, SAMPLE_CONFIG))) return path;
  return configPath(house, SAMPLE_CONFIG);
}

/** Loads it, or ends the command with every problem listed. */
export async function openConfig(
  house: CliContext,
  named: string | undefined,
  options: LoadOptions = {},
): Promise<Config> {
  const path = configOrSamplePath(house, named);
  const { loadConfig } = await import('../config/config.ts');
  const loaded = loadConfig(path, environmentFor(house, path), options);
  if (loaded.ok) return loaded.config;
  throw new CommandError(formatProblems(loaded.problems), EXIT.badConfig);
}

/** The environment, with the variables of a file `.env` beside the configuration where they are not set already. */
export function environmentFor(house: CliContext, path: string): NodeJS.ProcessEnv {
  const file = join(dirname(resolve(house.cwd, path)), '.env');
  if (!existsSync(file)) return house.env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...house.env };
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

/** A configuration that is to be changed: it passed the check, and what becomes of it must pass it too. */
export interface EditableConfig {
  readonly path: string;
  readonly text: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** The configuration that this text makes, or a refusal with every problem. Writes nothing. */
  check(text: string): Config;
  /** Checks it, and writes it in one go: the whole file or nothing. */
  write(text: string): Promise<Config>;
}

/** Opens the configuration for editing; whether its secrets are there does not matter for that. */
export async function openEditableConfig(
  house: CliContext,
  named: string | undefined,
): Promise<EditableConfig> {
  const { loadConfig, parseConfig } = await import('../config/config.ts');
  const path = configPath(house, named);
  const env = environmentFor(house, path);
  const before = loadConfig(path, env, { secrets: 'ignore' });
  if (!before.ok) throw new CommandError(formatProblems(before.problems), EXIT.badConfig);
  const check = (text: string): Config => {
    const after = parseConfig(text, path, env, { secrets: 'ignore' });
    if (!after.ok)
      throw new CommandError(`nothing was written, since ${formatProblems(after.problems)}`, EXIT.badData);
    return after.config;
  };
  return {
    path,
    text: await readFile(path, 'utf8'),
    config: before.config,
    env,
    check,
    async write(text) {
      const config = check(text);
      // A link stays a link, and a file that only its owner may read stays so.
      const file = await realpath(path);
      const { mode } = await stat(file);
      await writeFileAtomically(file, text, { replace: true, mode: mode & 0o777 });
      return config;
    },
  };
}

/** The source with this ID, or a refusal that names the nearest one. */
export function findSource(config: Config, id: string): Config['sources'][string] {
  const source = config.sources[id];
  if (source === undefined)
    throw new CommandError(
      `there is no source \`${id}\`: ${suggestion(id, Object.keys(config.sources))}`,
      EXIT.notFound,
    );
  return source;
}

export interface WriteOptions {
  /** Without it, a file that is there already stays as it is and the command is refused. */
  readonly replace?: boolean;
  /** Permissions of a new file. */
  readonly mode?: number;
}

/** Writes a whole file or nothing. */
export function writeFileAtomically(
  path: string,
  content: string,
  options: WriteOptions = {},
): Promise<void> {
  return writeThenRename(path, options, (file) => file.writeFile(content));
}

/** The same for more lines than fit into memory. */
export function writeLinesAtomically(
  path: string,
  lines: AsyncIterable<string>,
  options: WriteOptions = {},
): Promise<void> {
  return writeThenRename(path, options, async (file) => {
    for await (const line of lines) await file.write(`${line}\n`);
  });
}

/** Into a file beside it first, which is moved into place when all of it is on the disk. */
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
      return cannot('is there already, and was left as it is');
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
