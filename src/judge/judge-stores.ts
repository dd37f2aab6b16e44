import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { BudgetStore } from './budget/budget.ts';
import type { InterestsHistory } from './interests.ts';
import type { JudgeFailure, Judgement } from './judge.ts';
import type { VerdictCache } from './verdict-cache.ts';

/** What judges share between runs and between processes: what was spent, what was said, what people were interested in, and what went wrong last. */
export interface JudgeStores extends AsyncDisposable {
  readonly budgets: BudgetStore;
  readonly verdicts: VerdictCache & InterestsHistory;
  readonly failures: JudgeFailureStore;
}

/** Why a judge gave no answer the last time, in its server's words, without secrets. */
export interface ReportedFailure {
  readonly why: JudgeFailure;
  readonly detail: string;
  readonly at: number;
}

/** The last trouble of each judge, shared by all processes: `status` and `doctor` show it. */
export interface JudgeFailureStore {
  /** `null` = it answers again. */
  report(judge: string, trouble: ReportedFailure | null): Promise<void>;
  lastFailure(judge: string): Promise<ReportedFailure | null>;
}

/** The same trouble is written again only after so long: a judge that is away is not a write for each article. */
const WRITE_INTERVAL_MS = 10 * MINUTE;

/**
 * Notes what came of each question to one judge. The first answer of a process takes back what an earlier one reported; after that
 * only changes are written. A limit of our own says nothing about the judge, and an answer that is wrong about one text is an answer.
 */
export class JudgeHealth {
  readonly #judge: string;
  readonly #failures: JudgeFailureStore;
  readonly #clock: Clock;
  /** What was written last; `undefined` before the first question. */
  #written: ReportedFailure | null | undefined;

  constructor(judge: string, troubles: JudgeFailureStore, clock: Clock) {
    this.#judge = judge;
    this.#failures = troubles;
    this.#clock = clock;
  }

  async record(judgement: Judgement<unknown>): Promise<void> {
    if (judgement.outcome === 'later') {
      const { why, detail } = judgement;
      if (why === 'over_budget') return;
      await this.#write(why === 'bad_answer' ? null : { why, detail, at: this.#clock.now() });
    } else if (judgement.outcome === 'judged') await this.#write(null);
  }

  async #write(trouble: ReportedFailure | null): Promise<void> {
    const before = this.#written;
    if (before !== undefined && isSameFailure(before, trouble)) return;
    this.#written = trouble;
    try {
      const nothingToTakeBack =
        before === undefined && trouble === null && (await this.#failures.lastFailure(this.#judge)) === null;
      if (!nothingToTakeBack) await this.#failures.report(this.#judge, trouble);
    } catch {
      // An answer that was paid for is not thrown away because a note about it could not be written; the next one is.
      this.#written = undefined;
    }
  }
}

function isSameFailure(before: ReportedFailure | null, now: ReportedFailure | null): boolean {
  if (before === null || now === null) return before === now;
  return before.why === now.why && before.detail === now.detail && now.at - before.at < WRITE_INTERVAL_MS;
}
