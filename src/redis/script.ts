import { createHash } from 'node:crypto';

/** A Lua script as the server knows it: by its digest, and by its text when the server has forgotten it. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

export function script(name: string, ...parts: readonly string[]): Script {
  const text = parts.join('\n');
  return { name, text, digest: createHash('sha1').update(text).digest('hex') };
}
