import { z } from 'zod';
import type { DropEvent } from '../../timelines/change-feed.ts';

const idSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.:@-]+$/, { error: 'may have letters, digits and _ . : @ - only' });
/** Other programs also write times as text: milliseconds, or a date. */
const timeSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  ])
  .refine((value) => Number.isSafeInteger(value) && value >= 0, { error: 'must be milliseconds since 1970' });
const visibilitySchema = z.enum(['public', 'unlisted', 'followers', 'private']);

/** Messages of the channels (C2, C13). Further fields are allowed. */
const PAYLOAD_SCHEMAS = {
  drop_created: z.object({
    drop_id: idSchema,
    user_id: idSchema,
    visibility: visibilitySchema,
    created_at: timeSchema,
  }),
  drop_deleted: z.object({ drop_id: idSchema, user_id: idSchema }),
  ap_drop_received: z.object({ drop_id: idSchema, created_at: timeSchema }),
  followed: z.object({ user_id: idSchema, author_id: idSchema }),
  unfollowed: z.object({ user_id: idSchema, author_id: idSchema }),
} as const;

/** The channels of C2, and those of follows (C13). Other programs publish on them too. */
export const CHANNELS = [
  'drop_created',
  'drop_deleted',
  'ap_drop_received',
  'followed',
  'unfollowed',
] as const;

export type ParsedEvent =
  | { readonly ok: true; readonly event: DropEvent }
  | { readonly ok: false; readonly why: string };

const MAX_PAYLOAD_LENGTH = 4096;

/** Parses a published message. Never throws, whatever the input. */
export function parseDropEvent(type: string, payload: string): ParsedEvent {
  if (!Object.hasOwn(PAYLOAD_SCHEMAS, type)) return { ok: false, why: 'there is no such event' };
  if (payload.length > MAX_PAYLOAD_LENGTH)
    return { ok: false, why: `longer than ${MAX_PAYLOAD_LENGTH} characters` };
  let data: unknown;
  try {
    data = JSON.parse(payload);
  } catch {
    return { ok: false, why: 'not JSON' };
  }
  const read = PAYLOAD_SCHEMAS[type as keyof typeof PAYLOAD_SCHEMAS].safeParse(data);
  if (read.success) return { ok: true, event: { type, ...read.data } as DropEvent };
  const why = read.error.issues.map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`);
  return { ok: false, why: why.join('; ').slice(0, 300) };
}

/** The event without its type, which the channel or the entry has. */
export function payloadOf({ type: _, ...payload }: DropEvent): string {
  return JSON.stringify(payload);
}
