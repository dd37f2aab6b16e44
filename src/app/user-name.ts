import { createHash } from 'node:crypto';

const LONGEST_NAME = 64;

/** Whether only a pipeline or source can have this name. */
export function isNameBeside(name: string): boolean {
  return name.startsWith('pipeline.') || name.startsWith('source.');
}

/** The name beside the plain one, for a pipeline or source whose own name somebody else has. IDs have no dot, so no other ID is in its way. */
export function nameBeside(kind: 'pipeline' | 'source', id: string): string {
  const name = `${kind}.${id}`;
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - 9)}.${hash}`;
}
