import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Judgement, JudgeTrouble } from './judge.ts';

/** Why a judge gave no answer the last time, in its server's words, without secrets. */
export interface ReportedTrouble {
  readonly why: JudgeTrouble;
  readonly detail: string;
  readonly at: number;
}

/** The last trouble of each judge, shared by all processes: `status` and `doctor` show it. */
export interface JudgeTroubles {
  /** `null` = it answers again. */
  report(judge: string, trouble: ReportedTrouble | null): Promise<void>;
  lastTrouble(judge: string): Promise<ReportedTrouble | null>;
}

/** The same trouble is written again only after so long: a judge that is away is not a write for each article. */
const WRITE_EVERY = 10 * MINUTE;

/**
 * Notes what came of each question to one judge. The first answer of a process takes back what an earlier one reported; after that
 * only changes are written. A limit of our own says nothing about the judge, and an answer that is wrong about one text is an answer.
 */
export class JudgeHealth {
  readonly #judge: string;
  readonly #troubles: JudgeTroubles;
  readonly #clock: Clock;
  /** What was written last; `undefined` before the first question. */
  #written: ReportedTrouble | null | undefined;

  constructor(judge: string, troubles: JudgeTroubles, clock: Clock) {
    this.#judge = judge;
    this.#troubles = troubles;
    this.#clock = clock;
  }

  async note(judgement: Judgement<unknown>): Promise<void> {
    if (judgement.outcome === 'later') {
      const { why, detail } = judgement;
      if (why === 'over_budget') return;
      await this.#write(why === 'bad_answer' ? null : { why, detail, at: this.#clock.now() });
    } else if (judgement.outcome === 'judged') await this.#write(null);
  }

  async #write(trouble: ReportedTrouble | null): Promise<void> {
    const before = this.#written;
    if (before !== undefined && same(before, trouble)) return;
    this.#written = trouble;
    try {
      const nothingToTakeBack =
        before === undefined && trouble === null && (await this.#troubles.lastTrouble(this.#judge)) === null;
      if (!nothingToTakeBack) await this.#troubles.report(this.#judge, trouble);
    } catch {
      // An answer that was paid for is not thrown away because a note about it could not be written; the next one is.
      this.#written = undefined;
    }
  }
}

function same(before: ReportedTrouble | null, now: ReportedTrouble | null): boolean {
  if (before === null || now === null) return before === now;
  return before.why === now.why && before.detail === now.detail && now.at - before.at < WRITE_EVERY;
}
