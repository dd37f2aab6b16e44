import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetPath } from '../assets/assets.ts';

const PROMPT_NAMES = ['evaluate', 'screen', 'summarise', 'summarise-part', 'again', 'examples'] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

/** Required placeholders: without them the data would be unfenced, or the reader's interests missing. */
const REQUIRED_PLACEHOLDERS: Readonly<Record<PromptName, readonly string[]>> = {
  evaluate: ['interests', 'fence'],
  screen: ['fence'],
  summarise: ['fence'],
  'summarise-part': ['fence'],
  again: ['problems'],
  examples: [],
};

/** The instructions of a remote judge. Verdicts carry the version, which changes with the text. */
export interface Prompts {
  fill(name: PromptName, values: Readonly<Record<string, string>>): string;
  version(name: Exclude<PromptName, 'again' | 'summarise-part'>): string;
}

/** An invalid folder of replacement prompts. Lists every problem, with the file. */
export class PromptError extends Error {
  override readonly name = 'PromptError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The prompts cannot be used: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/** Reads the built-in prompts, some of them replaced by those of a folder. */
export async function loadPrompts(folder?: string): Promise<Prompts> {
  const own = assetPath('prompts');
  const texts = new Map<PromptName, string>();
  const problems: string[] = [];
  for (const name of PROMPT_NAMES) {
    const replaced = folder === undefined ? null : await readIfExists(join(folder, `${name}.md`));
    const text = (replaced ?? (await readFile(join(own, `${name}.md`), 'utf8'))).trim();
    for (const value of REQUIRED_PLACEHOLDERS[name]) {
      if (!text.includes(`{{${value}}}`)) problems.push(`${name}.md has no {{${value}}}`);
    }
    texts.set(name, text);
  }
  if (problems.length > 0) throw new PromptError(problems);
  const textOf = (name: PromptName): string => texts.get(name) ?? '';
  return {
    fill: (name, values) =>
      textOf(name).replace(/\{\{([a-z]+)\}\}/g, (whole, key: string) => values[key] ?? whole),
    version: (name) => {
      const parts = name === 'summarise' ? [name, 'summarise-part', 'again'] : [name, 'again'];
      const hash = createHash('sha256');
      for (const part of parts) hash.update(textOf(part as PromptName)).update('\0');
      return hash.digest('hex').slice(0, 12);
    },
  };
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new PromptError([`${path} cannot be read`]);
  }
}
