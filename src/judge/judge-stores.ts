import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { BudgetStore } from './budget/budget.ts';
import type { InterestsHistory } from './interests.ts';
import type { JudgeFailure, Judgement } from './judge.ts';
import type { VerdictCache } from './verdict-cache.ts';

/** Stores that judges share between runs and processes: budgets, cached verdicts, past interests and last failures. */
export interface JudgeStores extends AsyncDisposable {
  readonly budgets: BudgetStore;
  readonly verdicts: VerdictCache & InterestsHistory;
  readonly failures: JudgeFailureStore;
}

/** Why a judge gave no answer the last time: its server's message, without secrets. */
export interface ReportedFailure {
  readonly why: JudgeFailure;
  readonly detail: string;
  readonly at: number;
}

/** The last failure of each judge, shared by all processes, for `status` and `doctor`. */
export interface JudgeFailureStore {
  /** `null` = it answers again. */
  report(judge: string, failure: ReportedFailure | null): Promise<void>;
  lastFailure(judge: string): Promise<ReportedFailure | null>;
}

/** Minimum time between writes of the same failure: an unavailable judge does not cost a write for each article. */
const WRITE_INTERVAL_MS = 10 * MINUTE;

/**
 * Records the outcome of each question to one judge. The first answer of a process clears a failure that an earlier process reported;
 * after that only changes are written. Our own limits and invalid answers about a single text do not count as failures.
 */
export class JudgeHealth {
  readonly #judge: string;
  readonly #failures: JudgeFailureStore;
  readonly #clock: Clock;
  /** The last value written; `undefined` before the first question. */
  #written: ReportedFailure | null | undefined;

  constructor(judge: string, failures: JudgeFailureStore, clock: Clock) {
    this.#judge = judge;
    this.#failures = failures;
    this.#clock = clock;
  }

  async record(judgement: Judgement<unknown>): Promise<void> {
    if (judgement.outcome === 'later') {
      const { why, detail } = judgement;
      if (why === 'over_budget') return;
      await this.#write(why === 'bad_answer' ? null : { why, detail, at: this.#clock.now() });
    } else if (judgement.outcome === 'judged') await this.#write(null);
  }

  async #write(failure: ReportedFailure | null): Promise<void> {
    const before = this.#written;
    if (before !== undefined && isSameFailure(before, failure)) return;
    this.#written = failure;
    try {
      const nothingToClear =
        before === undefined && failure === null && (await this.#failures.lastFailure(this.#judge)) === null;
      if (!nothingToClear) await this.#failures.report(this.#judge, failure);
    } catch {
      // A paid answer is not discarded because its outcome could not be recorded; the next question writes it.
      this.#written = undefined;
    }
  }
}

function isSameFailure(before: ReportedFailure | null, now: ReportedFailure | null): boolean {
  if (before === null || now === null) return before === now;
  return before.why === now.why && before.detail === now.detail && now.at - before.at < WRITE_INTERVAL_MS;
}
