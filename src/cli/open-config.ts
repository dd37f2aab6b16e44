import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config, LoadOptions } from '../config/config.ts';
import { formatProblem, type Problem } from '../config/problem.ts';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';
import type { House } from './terminal.ts';

const CONFIG_NAME = 'kawaraban.yaml';

/** Where the sample newsroom keeps its configuration and its data, below the folder that it was started in. */
export const SAMPLE_CONFIG = join('data', 'sample', CONFIG_NAME);

/** The configuration that a command is about: the one named, else KAWARABAN_CONFIG, else the one in this folder. */
export function configPath(house: House, named: string | undefined): string {
  const full = resolve(house.cwd, named ?? house.env.KAWARABAN_CONFIG ?? CONFIG_NAME);
  const near = relative(process.cwd(), full);
  // Short paths read better in messages, as long as they mean the same from where the person stands.
  return near !== '' && !near.startsWith('..') ? near : full;
}

/** The same; but where there is none and the sample newsroom was started here, then that one's. */
export function configOrSamplePath(house: House, named: string | undefined): string {
  const path = configPath(house, named);
  const chosen = named !== undefined || house.env.KAWARABAN_CONFIG !== undefined || existsSync(path);
  if (chosen || !existsSync(resolve(house.cwd, SAMPLE_CONFIG))) return path;
  return configPath(house, SAMPLE_CONFIG);
}

/** Loads it, or ends the command with every problem listed. */
export async function openConfig(
  house: House,
  named: string | undefined,
  options: LoadOptions = {},
): Promise<Config> {
  const path = configOrSamplePath(house, named);
  const { loadConfig } = await import('../config/config.ts');
  const loaded = loadConfig(path, environmentFor(house, path), options);
  if (loaded.ok) return loaded.config;
  throw new RefusalError(listed(loaded.problems), EXIT.badConfig);
}

/** The environment, with the variables of a file `.env` beside the configuration where they are not set already. */
export function environmentFor(house: House, path: string): NodeJS.ProcessEnv {
  const file = join(dirname(resolve(house.cwd, path)), '.env');
  if (!existsSync(file)) return house.env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...house.env };
  } catch (cause) {
    throw new RefusalError(`${file} cannot be read`, EXIT.badConfig, { cause });
  }
}

export function listed(problems: readonly Problem[]): string {
  const [first] = problems;
  if (problems.length === 1 && first !== undefined) return formatProblem(first);
  return [
    `the configuration has ${problems.length} problems:`,
    ...problems.map((each) => `  ${formatProblem(each)}`),
  ].join('\n');
}
