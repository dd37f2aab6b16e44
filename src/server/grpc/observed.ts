import { ServerError, Status } from 'nice-grpc';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { inSpan, isTracing, underTrace } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { unreadable } from './gentle-definition.ts';
import { HighLoad } from './high-load.ts';
import type { Call } from './service.ts';
import { invalid, OUR_MISTAKE, statusOf } from './status.ts';

export interface ObservedParts {
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
}

/** Does the work of a call. What it rejects with is always a `ServerError`. */
export type Observe = <T>(route: string, request: unknown, call: Call, work: () => Promise<T>) => Promise<T>;

/** Counts and times every call, goes on with the caller's trace, and gives each error the status that it deserves. */
export function observed({ clock, events, log }: ObservedParts): Observe {
  const highLoad = new HighLoad({ clock, log });
  return async (route, request, call, work) => {
    highLoad.called();
    const began = clock.monotonic();
    let status: Status = Status.OK;
    try {
      const why = unreadable(request);
      if (why !== null) throw invalid('request', `cannot be read (${why})`);
      return await (isTracing() ? traced(route, call, work) : work());
    } catch (error) {
      const known = statusOf(error, call.signal);
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

function traced<T>(route: string, call: Call, work: () => Promise<T>): Promise<T> {
  const headers = { traceparent: call.header('traceparent'), tracestate: call.header('tracestate') };
  return underTrace(headers, () => inSpan('grpc.server', { 'rpc.method': route }, work));
}
