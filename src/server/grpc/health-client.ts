import { createChannel, createClient } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { openSocialStore } from '../../app/timelines.ts';
import type { Config } from '../../config/config.ts';
import { HEALTH_CHECK_USER_ID } from '../../social/social-store.ts';
import { errorMessage } from '../../telemetry/errors.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';

const SERVING = 1;

/** Whether a gRPC server listens there, and whether it says that it can serve. */
export async function checkGrpcHealth(
  host: string,
  port: number,
): Promise<'serving' | 'not_serving' | 'nobody'> {
  if (port === 0) return 'nobody';
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const channel = createChannel(`${open.includes(':') ? `[${open}]` : open}:${port}`);
  try {
    const client = createClient(HealthDefinition, channel);
    const { status } = await client.check({ service: '' }, { signal: AbortSignal.timeout(2 * SECOND) });
    return status === SERVING ? 'serving' : 'not_serving';
  } catch {
    return 'nobody';
  } finally {
    channel.close();
  }
}

export interface ServiceCheck {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Asks each remote service something small, with our own token; none where the configuration names none. */
export async function checkServices(config: Config): Promise<readonly ServiceCheck[]> {
  const { userService, postService } = config.timelines;
  if (userService === undefined || postService === undefined) return [];
  const social = await openSocialStore(config, systemClock, silentEvents);
  const ask = async (what: string, question: () => Promise<unknown>): Promise<ServiceCheck> => {
    try {
      await question();
      return { what, ok: true, detail: 'answers' };
    } catch (error) {
      return { what, ok: false, detail: errorMessage(error) };
    }
  };
  try {
    return await Promise.all([
      ask(`User service (${userService})`, () => social.getFollowersPage(HEALTH_CHECK_USER_ID, { limit: 1 })),
      ask(`Post service (${postService})`, () => social.getDropsByUserId(HEALTH_CHECK_USER_ID, { limit: 1 })),
    ]);
  } finally {
    await social[Symbol.asyncDispose]();
  }
}
