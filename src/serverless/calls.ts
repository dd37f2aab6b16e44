import type { DueRun } from '../app/due-run.ts';
import type { App } from '../app.ts';

/** What can be asked for from outside: a run of one pipeline, or the sweep of what is old. */
export type Call =
  | { readonly do: 'run'; readonly pipeline: string; readonly scheduledFor: number | null }
  | { readonly do: 'sweep'; readonly scheduledFor: number | null };

export type CallAnswer = DueRun | { readonly outcome: 'no such pipeline' };

/**
 * Does what a call asks for. The same call may come any number of times, at once or one after the other, as schedulers and
 * queues repeat them: one of them does it.
 */
export async function answerCall(app: App, call: Call, signal: AbortSignal): Promise<CallAnswer> {
  if (call.do === 'sweep') {
    const swept = await app.runIfDue('retention', call.scheduledFor, signal);
    return swept ?? { outcome: 'no such pipeline' };
  }
  const pipeline = app.pipelines.get(call.pipeline);
  const ran = pipeline && (await app.runIfDue(pipeline.id, call.scheduledFor, signal));
  if (pipeline === undefined || ran == null) return { outcome: 'no such pipeline' };
  // Messages that waited for their time since the last call: nobody else sends them here.
  await pipeline.dispatch(signal);
  return ran;
}
