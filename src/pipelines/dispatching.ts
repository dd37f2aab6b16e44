import type { Bell } from '../press/bell.ts';
import { SECOND } from '../time/duration.ts';
import { endless } from './endless.ts';
import { dispatchDue, type PressParts } from './press-room.ts';

/** Two looks are never closer than this. */
const SHORTEST_PAUSE = 2 * SECOND;

/**
 * Sees messages through whose time comes between two runs, until the signal. It looks when the bell rings, when the time of a
 * message comes that it has seen, and otherwise as often as the store says.
 */
export async function keepDispatching(
  parts: PressParts,
  bell: Bell,
  onTurn: () => void,
  signal: AbortSignal,
): Promise<void> {
  const destinations = parts.publishers.map(({ id }) => id);
  const { clock, outbox } = parts;
  const turn = async (): Promise<'again'> => {
    onTurn();
    const due = await outbox.nextDue(destinations);
    const wait = (due ?? Number.POSITIVE_INFINITY) - clock.now();
    if (wait <= 0) await dispatchDue(parts, signal);
    // After sending there may be more: what was behind, or what another process holds.
    await bell.wait(Math.min(outbox.abilities.looksEveryMs, Math.max(SHORTEST_PAUSE, wait)), signal);
    return 'again';
  };
  await endless(turn, { ...parts, loop: 'dispatching' }, signal);
}
