import { setFlagsFromString } from 'node:v8';

// The program waits most of its time. V8 keeps its heap small and gives memory back early rather than keep it for the next
// rush: 2,000 streams of a first wave take a third of the memory, and further waves take none. Imported before everything
// else, while the heap is still small.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');
// What a compiled function needed while it was compiled is freed at once. The thread that does it otherwise gets no
// processor time in a rush, and 10 to 30 MB pile up that are never given back to the system. An older V8 may not know the
// flag, and would print an error.
if (Number.parseInt(process.versions.v8, 10) >= 13) setFlagsFromString('--no-maglev-destroy-on-background');
