import type { Surface } from '../server/server.ts';

/** What a copy of the program does. Any number of copies may have each role; one scheduler acts at a time. */
export const ROLES = {
  web: 'the page, the API, feeds and live streams',
  timeline: 'fans drops out to timelines, serves them over gRPC, streams and the API',
  worker: 'sends messages and processes what queues deliver',
  scheduler: 'starts runs and sweeps when they are due; one at a time, the others stand by',
} as const;

export type Role = keyof typeof ROLES;
export type Roles = ReadonlySet<Role>;

export const EVERY_ROLE: Roles = new Set(Object.keys(ROLES) as Role[]);

export type ReadRoles =
  | { readonly ok: true; readonly roles: Roles }
  | { readonly ok: false; readonly why: string };

/** Reads `web,worker` and the like; `all` and nothing at all mean every role. */
export function readRoles(words: readonly string[], engine: 'embedded' | 'distributed'): ReadRoles {
  const names = words.flatMap((word) => word.split(',').map((name) => name.trim())).filter(Boolean);
  const unknown = names.find((name) => name !== 'all' && !Object.hasOwn(ROLES, name));
  if (unknown !== undefined)
    return {
      ok: false,
      why: `there is no role \`${unknown.slice(0, 40)}\`: choose from all, ${Object.keys(ROLES).join(', ')}`,
    };
  const roles = names.length === 0 || names.includes('all') ? EVERY_ROLE : new Set(names as Role[]);
  if (engine === 'embedded' && roles.size < EVERY_ROLE.size)
    return {
      ok: false,
      why: 'the embedded engine keeps its timelines in one process, so it knows only the role `all`: leave --role out, or set `engine: { kind: distributed, … }` to run roles apart',
    };
  return { ok: true, roles };
}

/** What a copy with these roles shows. */
export function surfaceOf(roles: Roles): Surface {
  if (roles.has('web')) return 'everything';
  return roles.has('timeline') ? 'timelines' : 'health';
}
