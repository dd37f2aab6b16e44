import { type CallContext, ServerError, type ServerMiddleware, Status } from 'nice-grpc';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { inSpan, underTrace } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { unreadable } from './gentle-definition.ts';
import { invalid, OUR_MISTAKE, statusOf } from './status.ts';

export interface ObservedParts {
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
}

type Call = Parameters<ServerMiddleware>[0];

/** Counts and times every call, goes on with the caller's trace, and gives each error the status that it deserves. */
export function observed({ clock, events, log }: ObservedParts): ServerMiddleware {
  return async function* (call, context) {
    const began = clock.monotonic();
    const route = call.method.path.slice(1);
    let status: Status = Status.OK;
    try {
      const why = unreadable(call.request);
      if (why !== null) throw invalid('request', `cannot be read (${why})`);
      if (call.method.responseStream) return yield* call.next(call.request as never, context);
      return await underTrace(headersOf(context), () =>
        inSpan('grpc.server', { 'rpc.method': route }, () => only(call, context)),
      );
    } catch (error) {
      const known = statusOf(error, context.signal);
      if (known === null) log.error('a call failed', { route, error });
      const told = known ?? OUR_MISTAKE;
      status = told.code;
      throw new ServerError(told.code, told.details);
    } finally {
      events.requestServed({
        protocol: 'grpc',
        route,
        status: Status[status],
        ms: clock.monotonic() - began,
      });
    }
  };
}

/** The one answer of a call that has one. */
async function only(call: Call, context: CallContext): Promise<never> {
  const { value } = await call
    .next(call.request as never, context)
    [Symbol.asyncIterator]()
    .next();
  return value as never;
}

function headersOf({ metadata }: CallContext): Record<string, string | undefined> {
  return { traceparent: metadata.get('traceparent'), tracestate: metadata.get('tracestate') };
}
