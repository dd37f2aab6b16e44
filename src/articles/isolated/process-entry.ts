import { systemClock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import type { ProcessReply, ProcessRequest } from './isolated-process.ts';
import { IsolatedThread } from './isolated-thread.ts';

/**
 * Keeps the thread in which the work is done. This side never touches foreign data, so it stays able to kill the
 * thread, and to end when the program that started it does.
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
    // Given up by the caller, who waits for nothing any more.
  } finally {
    running.delete(id);
  }
}
