import { systemClock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import type { ProcessReply, ProcessRequest } from './isolated-process.ts';
import { IsolatedThread } from './isolated-thread.ts';

/**
 * Owns the thread that does the work. This process never parses untrusted data itself, so it stays able to kill the
 * thread, and to exit with its parent.
 */
const thread = new IsolatedThread({ clock: systemClock, idleMs: HOUR });
const running = new Map<number, AbortController>();

process.on('disconnect', () => process.exit());
process.on('message', (request: ProcessRequest) => {
  if ('giveUp' in request) running.get(request.id)?.abort();
  else void work(request);
});

async function work({ id, task, input, limitMs }: Exclude<ProcessRequest, { giveUp: true }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const outcome = await thread.run<unknown>(new URL(task), input, limitMs, stop.signal);
    process.send?.({ id, outcome } satisfies ProcessReply);
  } catch {
    // A caller that cancelled no longer waits for a reply; any other waits for ever without one.
    if (!stop.signal.aborted)
      process.send?.({
        id,
        outcome: { outcome: 'crashed', detail: 'the thread was not started' },
      } satisfies ProcessReply);
  } finally {
    running.delete(id);
  }
}
