import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';

/** The engine that the configuration names. The other one's packages are never loaded. */
export async function openEngine(config: Config, clock: Clock, telemetry: Telemetry): Promise<Engine> {
  if (config.engine.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.ts');
    return openEmbedded(config, clock, telemetry);
  }
  const { openDistributed } = await import('./distributed.ts');
  return openDistributed(config, clock, telemetry);
}
