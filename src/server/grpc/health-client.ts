import { createChannel, createClient } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { SECOND } from '../../time/duration.ts';

const SERVING = 1;

/** Whether a gRPC server listens there, and the health that it reports. */
export async function checkGrpcHealth(
  host: string,
  port: number,
): Promise<'serving' | 'not_serving' | 'unreachable'> {
  if (port === 0) return 'unreachable';
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const channel = createChannel(`${open.includes(':') ? `[${open}]` : open}:${port}`);
  try {
    const client = createClient(HealthDefinition, channel);
    const { status } = await client.check({ service: '' }, { signal: AbortSignal.timeout(2 * SECOND) });
    return status === SERVING ? 'serving' : 'not_serving';
  } catch {
    return 'unreachable';
  } finally {
    channel.close();
  }
}
