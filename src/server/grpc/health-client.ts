import { createSecureContext } from 'node:tls';
import { ChannelCredentials, createChannel, createClient } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { SECOND } from '../../time/duration.ts';
import type { Certificates } from '../../tls/certificates.ts';

const SERVING = 1;

/** Whether a gRPC server of our own listens there, and the health that it reports. `tls`: the certificates that it serves with. */
export async function checkGrpcHealth(
  host: string,
  port: number,
  tls: Certificates | null,
): Promise<'serving' | 'not_serving' | 'unreachable'> {
  if (port === 0) return 'unreachable';
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const channel = createChannel(`${open.includes(':') ? `[${open}]` : open}:${port}`, credentialsFor(tls));
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

/** The certificate names the public host, not the address of the port; nothing secret is sent. */
function credentialsFor(tls: Certificates | null): ChannelCredentials {
  if (tls === null) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createFromSecureContext(createSecureContext(tls), { rejectUnauthorized: false });
}
