import { readFileSync, statSync } from 'node:fs';
import type { Problem } from './problem.ts';

const LARGEST = 1024 * 1024;

export type ConfigFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Problem };

/** The file's text, or the one sentence that says why there is none. */
export function readConfigFile(path: string): ConfigFile {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return trouble(path, 'is a folder, not a file: name the YAML file inside it');
    if (!facts.isFile() && !facts.isFIFO()) return trouble(path, 'is not an ordinary file');
    if (facts.size > LARGEST) return trouble(path, 'is larger than 1 MB: that is no configuration');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    if (text.includes('\0')) return trouble(path, 'holds zero bytes, so it is no text: save it as UTF-8');
    return { ok: true, text };
  } catch (error) {
    return trouble(path, reason(error));
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return 'does not exist: run `kawaraban init` to have one written';
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read by this user: change its owner or its mode';
  if (error instanceof TypeError) return 'is not UTF-8: save it as UTF-8 in your editor';
  return `cannot be read (${String(code)})`;
}

function trouble(file: string, message: string): ConfigFile {
  return { ok: false, problem: { file, line: null, column: null, path: '', message } };
}
