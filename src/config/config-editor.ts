import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Config, parseConfig } from './config.ts';
import { formatProblem } from './problems.ts';

/** The text of a configuration, and its parsed form. */
export interface EditableConfigText {
  readonly text: string;
  readonly config: Config;
}

export class ConfigEditError extends Error {
  override readonly name = 'ConfigEditError';
}

/** Serialises edits of the configuration file: each sees the result of the previous one. */
export class ConfigEditor {
  readonly #path: string;
  readonly #env: NodeJS.ProcessEnv;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.#path = path;
    this.#env = env;
  }

  async read(): Promise<EditableConfigText> {
    const text = await readFile(this.#path, 'utf8').catch((cause: unknown) => {
      throw new ConfigEditError('The configuration file cannot be read.', { cause });
    });
    return { text, config: this.check(text) };
  }

  /** Parses this text; throws with all problems. */
  check(text: string): Config {
    const parsed = parseConfig(text, this.#path, this.#env, { secrets: 'ignore' });
    if (parsed.ok) return parsed.config;
    throw new ConfigEditError(`Nothing was written: ${parsed.problems.map(formatProblem).join('; ')}`);
  }

  /** Reads, changes and writes the file atomically. `null` as text writes nothing. */
  edit<T>(
    change: (now: EditableConfigText) => Promise<{ readonly text: string | null; readonly value: T }>,
  ): Promise<T> {
    const work = this.#last.then(async () => {
      const { text, value } = await change(await this.read());
      if (text !== null) {
        this.check(text);
        await this.#write(text);
      }
      return value;
    });
    this.#last = work.catch(() => {});
    return work;
  }

  /** Keeps symbolic links and the mode of the file. */
  async #write(text: string): Promise<void> {
    const file = await realpath(this.#path);
    const { mode } = await stat(file);
    const part = join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
    try {
      const handle = await open(part, 'wx', mode & 0o777);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, file);
    } catch (cause) {
      await rm(part, { force: true });
      throw new ConfigEditError('The configuration file cannot be written.', { cause });
    }
  }
}
