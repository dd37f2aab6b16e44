import type { Change } from '../social/noticeboard.ts';
import type { DropRef, SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { EventLog } from './event-log.ts';

/** The social store itself, not the one that announces. */
export type Changed = Pick<SocialStore, 'unannounced' | 'getDrops'>;

/**
 * Puts a change into the log of events, and notes that it is there. A drop is read where it is not given; one that is
 * gone by now is nobody's news.
 */
export async function announce(
  change: Change,
  social: Changed,
  events: EventLog,
  posted?: DropRef,
): Promise<void> {
  switch (change.kind) {
    case 'posted': {
      const drop = posted ?? (await social.getDrops([change.dropId]))[0];
      if (drop === undefined) break;
      const { id, userId, visibility, createdAt } = drop;
      await events.append({
        type: 'drop_created',
        drop_id: id,
        user_id: userId,
        visibility,
        created_at: createdAt,
      });
      break;
    }
    case 'deleted':
      await events.append({ type: 'drop_deleted', drop_id: change.dropId, user_id: change.userId });
      break;
    case 'followed':
    case 'unfollowed':
      await events.append({ type: change.kind, user_id: change.userId, author_id: change.authorId });
  }
  // It is announced. Where that cannot be noted it is announced once more, which changes nothing.
  await social.unannounced?.announced(change).catch(() => {});
}

/**
 * Announces, at the start and from time to time, what was written but never told because a program was killed in between
 * (C12). Ends with the signal.
 */
export async function announceWaiting(
  social: Changed,
  events: EventLog,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { unannounced } = social;
  while (unannounced !== undefined && !signal.aborted) {
    try {
      for (const change of await unannounced.waiting()) await announce(change, social, events);
    } catch (error) {
      log.warn('what was not announced yet could not be announced; it is tried again', { error });
    }
    await clock.sleep(unannounced.looksEveryMs, signal).catch(() => {});
  }
}
