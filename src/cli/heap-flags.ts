import { setFlagsFromString } from 'node:v8';
import { limitHeap } from '../telemetry/heap-mode.ts';

limitHeap();
// What a compiled function needed while it was compiled is freed at once. The thread that does it otherwise gets no
// processor time under load, and 10 to 30 MB pile up that are never given back to the system. An older V8 may not know the
// flag, and would print an error.
if (Number.parseInt(process.versions.v8, 10) >= 13) setFlagsFromString('--no-maglev-destroy-on-background');
