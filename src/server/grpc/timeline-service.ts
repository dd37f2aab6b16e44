import { ServerError, Status } from 'nice-grpc';
import type {
  GetTimelineRequest,
  GetTimelineResponse,
  TimelineServiceDefinition,
} from '../../../proto/gen/avion/timeline.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { PageRequest, TimelineReader } from '../../timelines/timeline-store.ts';
import { homeTimeline, type TimelineName } from '../../timelines/timeline-store.ts';
import type { CallAuthorizer } from './call-authorizer.ts';
import { invalidArgument } from './messages.ts';
import type { Call, Service } from './service.ts';

export interface GrpcTimelineServiceOptions {
  readonly timelines: TimelineReader;
  readonly social: Pick<SocialStore, 'findUser'>;
  readonly callers: CallAuthorizer;
}

/** `avion.TimelineService` (C4). */
export function createTimelineService({
  timelines,
  social,
  callers,
}: GrpcTimelineServiceOptions): Service<typeof TimelineServiceDefinition> {
  async function page(
    timeline: TimelineName,
    request: GetTimelineRequest,
    { signal }: Call,
  ): Promise<GetTimelineResponse> {
    const answer = await timelines.page(timeline, toPageRequest(request), signal);
    if (!answer.ok) throw invalidArgument(answer.field, answer.why);
    const { entries, older, newer } = answer.page;
    return { dropIds: entries.map(({ id }) => id), olderCursor: older ?? '', newerCursor: newer };
  }

  /** If the user service cannot look users up, the user is assumed to exist. */
  async function isKnown(userId: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await social.findUser(userId, signal))?.id === userId;
    } catch (error) {
      if (error instanceof Error && 'why' in error && error.why === 'not_offered') return true;
      throw error;
    }
  }

  return {
    async getHomeTimeline(request, context) {
      const { userId } = await callers.actingFor(context, 'read', 'user_id', request.userId);
      const answer = await page(homeTimeline(userId), request, context);
      // An unknown user also has an empty timeline; look the user up only in that case.
      if (answer.dropIds.length === 0 && !(await isKnown(userId, context.signal)))
        throw new ServerError(Status.NOT_FOUND, `there is no user "${userId}"`);
      return answer;
    },
    async getLocalTimeline(request, context) {
      await callers.optionalIdentity(context);
      return page('timeline:local', request, context);
    },
    async getGlobalTimeline(request, context) {
      await callers.optionalIdentity(context);
      return page('timeline:global', request, context);
    },
  };
}

/** On the wire, an absent value is the empty string. */
function toPageRequest({ limit, sinceId, maxId }: GetTimelineRequest): PageRequest {
  return {
    ...(limit === 0 ? {} : { limit }),
    ...(sinceId === '' ? {} : { sinceId }),
    ...(maxId === '' ? {} : { maxId }),
  };
}
