import { setFlagsFromString } from 'node:v8';
import { limitHeap } from '../telemetry/heap-mode.ts';

// A short command ends before its heap matters, and is faster with a large one.
if (process.argv.includes('start')) limitHeap();
// Free compilation memory at once. The background thread that does it otherwise gets no CPU time under load, and 10 to 30 MB
// accumulate that are never returned to the system. An older V8 may not know the flag, and would print an error.
if (Number.parseInt(process.versions.v8, 10) >= 13) setFlagsFromString('--no-maglev-destroy-on-background');
