import { CommandError, EXIT } from './errors.ts';
import type { CliContext } from './terminal.ts';

/** A fixed port: the simulator's address is part of its items' URLs, which must not change between starts. */
const FIRST_PORT = 8090;

/** How often something new appears in the simulated world, so that a person can watch it. */
export const NEW_ITEM_INTERVAL_MS = 3000;

/** First port of the simulator; 0 stands for any free ones. */
export function firstSimulatorPort({ env }: CliContext): number {
  const written = env.KAWARABAN_SIMULATOR_PORT;
  if (written === undefined || written === '') return FIRST_PORT;
  const port = Number(written);
  if (Number.isInteger(port) && port >= 0 && port <= 65_500) return port;
  throw new CommandError(
    'KAWARABAN_SIMULATOR_PORT must be a whole number from 0 (any free ports) to 65500',
    EXIT.usage,
  );
}

/** Fails because a port of the simulator is in use. */
export function simulatorPortError(port: number, cause: unknown): CommandError {
  return new CommandError(
    `the simulator needs the ports from ${port} on, and one is in use: is the sample or a simulator running already? Otherwise set KAWARABAN_SIMULATOR_PORT to another first port, or to 0 for any`,
    EXIT.unavailable,
    { cause },
  );
}
