import { setFlagsFromString } from 'node:v8';

// The program waits most of its time. V8 keeps its heap small and gives memory back early rather than keep it for the next
// rush: 2,000 streams of a first wave take a third of the memory, and further waves take none. Imported before everything
// else, while the heap is still small.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');
