import type { RunTicket } from './run-store.ts';

/**
 * Has a pipeline's memory catch up before a run that does not follow a run of this process itself: another copy may have worked
 * in between. Runs are counted one by one where copies share them.
 */
export function afterOthers(catchUp: () => Promise<void>): (ticket: Pick<RunTicket, 'id'>) => Promise<void> {
  let last: number | null = null;
  return async ({ id }) => {
    const alone = last !== null && id === last + 1;
    last = null;
    if (!alone) await catchUp();
    last = id;
  };
}
