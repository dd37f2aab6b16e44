import { parentPort } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './isolated-thread.ts';

type Task = (input: unknown) => unknown;
const tasks = new Map<string, Promise<Task>>();

parentPort?.on('message', (request: ThreadRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});

async function answer({ id, task, input }: ThreadRequest): Promise<ThreadReply> {
  try {
    let loaded = tasks.get(task);
    if (!loaded) {
      loaded = import(task).then((module: { default: Task }) => module.default);
      tasks.set(task, loaded);
    }
    const work = await loaded;
    return { id, ok: true, value: await work(input) };
  } catch (error) {
    // The message of an error may quote untrusted data; its kind is enough.
    return { id, ok: false, detail: error instanceof Error ? error.name : 'unknown' };
  }
}
