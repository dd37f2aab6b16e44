import { readFile, realpath, stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { suggestion } from '../config/nearest.ts';
import { EXIT } from './exit-codes.ts';
import { configPath, environmentFor, listed } from './open-config.ts';
import { RefusalError } from './refusal.ts';
import type { House } from './terminal.ts';
import { writeWhole } from './write-file.ts';

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
export async function editableConfig(house: House, named: string | undefined): Promise<EditableConfig> {
  const { loadConfig, parseConfig } = await import('../config/config.ts');
  const path = configPath(house, named);
  const env = environmentFor(house, path);
  const before = loadConfig(path, env, { secrets: 'ignore' });
  if (!before.ok) throw new RefusalError(listed(before.problems), EXIT.badConfig);
  const check = (text: string): Config => {
    const after = parseConfig(text, path, env, { secrets: 'ignore' });
    if (!after.ok)
      throw new RefusalError(`nothing was written, since ${listed(after.problems)}`, EXIT.badData);
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
      await writeWhole(file, text, { replace: true, mode: mode & 0o777 });
      return config;
    },
  };
}

/** The source with this ID, or a refusal that names the nearest one. */
export function sourceNamed(config: Config, id: string): Config['sources'][string] {
  const source = config.sources[id];
  if (source === undefined)
    throw new RefusalError(
      `there is no source \`${id}\`: ${suggestion(id, Object.keys(config.sources))}`,
      EXIT.notFound,
    );
  return source;
}
