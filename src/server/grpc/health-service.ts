import { ServerError, Status } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { Service } from './service.ts';

/** Whether a service can do its work now; it asks the parts that the service needs something small. */
export type HealthCheck = () => Promise<boolean>;

export interface HealthOptions {
  /** By the full name of the service; the empty name is the server as a whole. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly clock: Clock;
  /** Aborted when the server begins to stop: nobody should be sent here from then on. */
  readonly stopping: AbortSignal;
  /** How often a watch looks. */
  readonly everyMs?: number;
}

const SERVING_STATUS = { serving: 1, notServing: 2, unknown: 3 } as const;
type ServingStatus = (typeof SERVING_STATUS)[keyof typeof SERVING_STATUS];

export { HealthDefinition };

/** `grpc.health.v1.Health`, which answers what was looked at and not what was set once. */
export function healthService(options: HealthOptions): Service<typeof HealthDefinition> {
  const { checks, clock, stopping, everyMs = 5 * SECOND } = options;

  async function look(service: string): Promise<ServingStatus> {
    const check = Object.hasOwn(checks, service) ? checks[service] : undefined;
    if (check === undefined) return SERVING_STATUS.unknown;
    if (stopping.aborted) return SERVING_STATUS.notServing;
    return (await check().catch(() => false)) ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
  }

  return {
    async check({ service }) {
      const status = await look(service);
      if (status === SERVING_STATUS.unknown)
        throw new ServerError(Status.NOT_FOUND, `there is no service "${service.slice(0, 100)}" here`);
      return { status };
    },

    async *watch({ service }, { signal }) {
      const ends = AbortSignal.any([signal, stopping]);
      for (let told: ServingStatus | null = null; ; ) {
        const status = await look(service);
        if (status !== told) yield { status };
        told = status;
        if (ends.aborted) return;
        await clock.sleep(everyMs, ends).catch(() => {});
        if (signal.aborted) return;
      }
    },
  };
}
