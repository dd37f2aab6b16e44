import { isNotOffered } from '../social/refusals.ts';
import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { TimelineStore } from './timeline-store.ts';

/**
 * The newest public drops: from the post service where it lists them. One that need not (C4) is asked once; then there is no more
 * than what the timeline store has kept of them.
 */
export function publicDropsOf(
  social: Pick<SocialStore, 'recentPublic'>,
  store: Pick<TimelineStore, 'leftOver'>,
  log: Logger,
): Pick<SocialStore, 'recentPublic'> {
  let warned = false;
  return {
    async recentPublic(limit, before, signal) {
      try {
        return await social.recentPublic(limit, before, signal);
      } catch (error) {
        if (!isNotOffered(error)) throw error;
        if (!warned)
          log.warn(
            'The post service does not offer GetRecentPublicDrops: local and global timelines have only the drops that were announced, as far as the timeline store has kept them',
          );
        warned = true;
        const left = await store.leftOver('timeline:local', { limit, ...(before && { before }) });
        return left.map((entry) => ({ ...entry, userId: '', visibility: 'public' }));
      }
    },
  };
}
