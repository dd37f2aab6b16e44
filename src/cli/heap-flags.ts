import { setFlagsFromString } from 'node:v8';
import { limitHeapAfterStart } from '../telemetry/heap-mode.ts';

// A short command ends before its heap matters, and is faster with a large one.
if (process.argv.includes('start')) {
  limitHeapAfterStart();
  // Free compilation memory at once. The background thread that does it otherwise gets no CPU time under load, and 10 to 30 MB
  // accumulate that are never returned to the system. An older V8 may not know the flag, and would print an error.
  if (Number.parseInt(process.versions.v8, 10) >= 13) setFlagsFromString('--no-maglev-destroy-on-background');
  // The one WebAssembly module is undici's parser of HTTP: optimising its large function takes 24 MB and a third of a second,
  // and the parser is not what a request waits for.
  for (const flag of ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up', '--liftoff-only'])
    setFlagsFromString(flag);
}
