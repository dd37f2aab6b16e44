import { useState } from 'preact/hooks';
import { problemText } from '../problem-text.ts';

/** A request that a button starts: whether it is running, and why it failed. */
export interface Acting {
  readonly busy: boolean;
  readonly problem: string | null;
  run(work: () => Promise<unknown>): void;
}

export function useActing(then: () => void = () => {}): Acting {
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

export const problemWords = problemText;

export function Problem({ acting }: { readonly acting: Acting }) {
  return acting.problem === null ? null : (
    <p class="form-problem" role="alert">
      {acting.problem}
    </p>
  );
}
