import type { StreamEvent } from '../stream-log.ts';

/** `new_drop <time> <id>`, `drop_deleted 0 <id>`, `reset 0 -`. */
export function eventOf(line: string): StreamEvent | null {
  const [type, at = '', dropId = ''] = line.split(' ');
  if (type === 'new_drop') return { type, dropId, createdAt: Number(at) };
  if (type === 'drop_deleted') return { type, dropId };
  return type === 'reset' ? { type } : null;
}
