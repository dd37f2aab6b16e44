import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Idles for so many seconds, and reports the longest stall in milliseconds. */
if (import.meta.main) {
  const blocks = monitorEventLoopDelay({ resolution: 1 });
  blocks.enable();
  const end = performance.now() + Number(process.argv[2] ?? 10) * 1000;
  while (performance.now() < end) await pause(2);
  blocks.disable();
  console.log(blocks.max / 1e6 - 1);
}
