import pLimit from 'p-limit';
import type { Model } from './model.ts';

/** A model that is asked at most so many questions at a time; the others wait in line, in order. */
export function withConcurrency(model: Model, atOnce: number): Model {
  const limit = pLimit(atOnce);
  return {
    ...model,
    ask: (question, signal) =>
      limit(() => {
        signal?.throwIfAborted();
        return model.ask(question, signal);
      }),
  };
}
