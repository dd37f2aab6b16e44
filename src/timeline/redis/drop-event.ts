import { z } from 'zod';
import type { DropEvent } from '../../timelines/change-feed.ts';

const id = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.:@-]+$/, { error: 'may have letters, digits and _ . : @ - only' });
/** Other programs write times as text, too: of milliseconds, or as a date. */
const time = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  ])
  .refine((value) => Number.isSafeInteger(value) && value >= 0, { error: 'must be milliseconds since 1970' });
const visibility = z.enum(['public', 'unlisted', 'followers', 'private']);

/** What the channels carry (C2, C13). Further fields are let through. */
const SHAPES = {
  drop_created: z.object({ drop_id: id, user_id: id, visibility, created_at: time }),
  drop_deleted: z.object({ drop_id: id, user_id: id }),
  ap_drop_received: z.object({ drop_id: id, created_at: time }),
  followed: z.object({ user_id: id, author_id: id }),
  unfollowed: z.object({ user_id: id, author_id: id }),
} as const;

/** The channels of C2, and those of follows (C13). Other programs publish on them too. */
export const CHANNELS = [
  'drop_created',
  'drop_deleted',
  'ap_drop_received',
  'followed',
  'unfollowed',
] as const;

export type ReadEvent =
  | { readonly ok: true; readonly event: DropEvent }
  | { readonly ok: false; readonly why: string };

const LONGEST = 4096;

/** Reads what somebody published. Nothing that comes in can make it throw. */
export function readDropEvent(type: string, payload: string): ReadEvent {
  if (!Object.hasOwn(SHAPES, type)) return { ok: false, why: 'there is no such event' };
  if (payload.length > LONGEST) return { ok: false, why: `longer than ${LONGEST} characters` };
  let data: unknown;
  try {
    data = JSON.parse(payload);
  } catch {
    return { ok: false, why: 'not JSON' };
  }
  const read = SHAPES[type as keyof typeof SHAPES].safeParse(data);
  if (read.success) return { ok: true, event: { type, ...read.data } as DropEvent };
  const why = read.error.issues.map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`);
  return { ok: false, why: why.join('; ').slice(0, 300) };
}

/** The event without its name, which the channel or the entry has. */
export function payloadOf({ type: _, ...payload }: DropEvent): string {
  return JSON.stringify(payload);
}
