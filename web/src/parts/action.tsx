import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { words } from '../words/words.ts';

/** What a button does, told while it is done and when it could not be. */
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
        .catch((error: unknown) => setProblem(problemWords(error)))
        .finally(() => {
          setBusy(false);
          then();
        });
    },
  };
}

export function problemWords(error: unknown): string {
  if (error instanceof ApiError) return error.offline ? words.value.offlineTitle : error.message;
  return String(error);
}

export function Problem({ acting }: { readonly acting: Acting }) {
  return acting.problem === null ? null : (
    <p class="form-problem" role="alert">
      {acting.problem}
    </p>
  );
}
