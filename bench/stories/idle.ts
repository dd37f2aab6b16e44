import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Does nothing for so many seconds, and says the longest time, in milliseconds, for which the machine did not let it. */
if (import.meta.main) {
  const blocks = monitorEventLoopDelay({ resolution: 1 });
  blocks.enable();
  const end = performance.now() + Number(process.argv[2] ?? 10) * 1000;
  while (performance.now() < end) await pause(2);
  blocks.disable();
  console.log(blocks.max / 1e6 - 1);
}
