import { useState } from 'preact/hooks';
import { problemText } from '../server-text.ts';

/** A request that a button starts: whether it is running, and why it failed. */
export interface Action {
  readonly busy: boolean;
  readonly problem: string | null;
  run(work: () => Promise<unknown>): void;
}

export function useAction(then: () => void = () => {}): Action {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    busy,
    problem,
    run(work) {
      if (busy) return;
      setBusy(true);
      setProblem(null);
      work()
        .catch((error: unknown) => setProblem(problemText(error)))
        .finally(() => {
          setBusy(false);
          then();
        });
    },
  };
}

export function ActionProblem({ action }: { readonly action: Action }) {
  return action.problem === null ? null : (
    <p class="form-problem" role="alert">
      {action.problem}
    </p>
  );
}
