import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { SocialStore } from '../social/services.ts';
import { SqliteSocialStore } from '../social/sqlite/sqlite-social-store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';

/** A social store and the feed of its changes. */
export type OpenedSocial = SocialStore & { readonly changes: ChangeFeed };

/** People and drops: at remote services where the configuration names them, else `here`, which is a file of the data folder where absent. */
export async function openSocial(
  config: Config,
  clock: Clock,
  events: Events,
  here: () => OpenedSocial = () => SqliteSocialStore.open({ path: join(config.data, 'social.db'), clock }),
): Promise<OpenedSocial> {
  const { userService, postService, serviceTimeout, serviceTls, serviceToken } = config.timelines;
  if (userService === undefined || postService === undefined) return here();
  const { openGrpcSocialStore } = await import('../social/grpc/grpc-social-store.ts');
  return openGrpcSocialStore({
    users: userService,
    posts: postService,
    timeoutMs: serviceTimeout,
    tls: serviceTls,
    clock,
    events,
    ...(serviceToken !== undefined && { token: () => serviceToken.reveal() }),
  });
}
