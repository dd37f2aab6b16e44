import type { TopicMention } from '../item/item.ts';
import type { LearnedVerdict } from '../item/learned.ts';
import type { InterestsHistory } from './interests.ts';

/** Kinds of judges that the program has itself. */
export const JUDGE_KINDS = ['local', 'gemini', 'openai'] as const;

/** Spending and last failure of a remote judge. Money is in millionths of a US dollar; a missing limit means unlimited. */
export interface JudgeSpend {
  readonly judge: string;
  readonly lastMinute: { readonly calls: number };
  readonly today: { readonly calls: number; readonly tokens: number; readonly microUsd: number };
  readonly limits: {
    readonly callsPerMinute?: number;
    readonly callsPerDay?: number;
    readonly tokensPerDay?: number;
    readonly microUsdPerDay?: number;
  };
  /** Why it gave no answer the last time, in its server's words; `null` if it answered. */
  readonly trouble: { readonly why: string; readonly detail: string; readonly at: number } | null;
}

export interface Judges {
  readonly byId: ReadonlyMap<string, Judge>;
  /** The interests that verdicts refer to. */
  readonly history: InterestsHistory;
  /** Today's spending of each remote judge, with its limits. */
  spend(): Promise<readonly JudgeSpend[]>;
  /** Deletes calls and verdicts that are older than these times; returns how many. */
  sweep(older: { readonly calls: number; readonly verdicts: number }): Promise<JudgeSweepResult>;
}

export interface JudgeSweepResult {
  readonly calls: number;
  readonly verdicts: number;
}
/**
 * Decides what matters. Three questions, each answered with a value: an unavailable judge, an exceeded limit or an invalid
 * answer is an outcome, not an exception, and never a score of zero (X18).
 */
export interface Judge {
  readonly id: string;
  readonly abilities: JudgeAbilities;
  /** How relevant is this article to these interests (A3)? */
  evaluate(article: ArticleText, interests: Interests, signal?: AbortSignal): Promise<Judgement<Evaluation>>;
  /** Is this page worth summarising, and is it complete yet (B16)? */
  screen(
    page: ArticleText,
    documents: readonly Document[],
    signal?: AbortSignal,
  ): Promise<Judgement<Screening>>;
  /** The summary itself (B16). */
  summarise(
    page: ArticleText,
    documents: readonly Document[],
    style: SummaryStyle,
    signal?: AbortSignal,
  ): Promise<Judgement<Summary>>;
}

export interface JudgeAbilities {
  /** Accepts PDF files; otherwise it gets their text (B17). */
  readonly takesPdf: boolean;
}

/** Input of a judge. Untrusted data, never instructions. */
export interface ArticleText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** BCP 47, where known. */
  readonly language?: string;
  readonly headings?: readonly string[];
}

export interface Document {
  readonly url: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes?: Uint8Array;
  /** Its text, for judges that do not accept files. */
  readonly text?: string;
}

export interface Interest {
  /** 1–50 characters, unique. */
  readonly topic: string;
  readonly aliases: readonly string[];
  readonly priority: 'high' | 'medium' | 'low';
}

export interface Interests {
  readonly topics: readonly Interest[];
  /** Hash of the topics: verdicts carry it. */
  readonly version: string;
  /** Titles that people reacted to, for judges that are models; untrusted text. */
  readonly examples?: Examples;
}

/** Titles of articles that people starred or wanted more of, and that they hid or wanted less of. */
export interface Examples {
  readonly liked: readonly string[];
  readonly disliked: readonly string[];
  /** Hash of the titles. */
  readonly version: string;
}

export interface Evaluation {
  /** Integer 0–100. */
  readonly score: number;
  /** Only topics of the interests. */
  readonly topics: readonly string[];
  /** 50–200 characters. */
  readonly summary: string;
  readonly reason: string;
  /** What `reason` says, of a judge that counts. */
  readonly mentions?: readonly TopicMention[];
  /** What reactions of people did to the score, after the judge gave it. */
  readonly learned?: LearnedVerdict;
}

export interface Screening {
  readonly decision: 'worth_it' | 'not_valuable' | 'not_ready';
  readonly reason: string;
}

export interface SummaryStyle {
  readonly language: string;
  readonly sentences: readonly [least: number, most: number];
  /** About how many characters in all. */
  readonly characters: number;
}

export interface Summary {
  readonly text: string;
}

export interface Provenance {
  readonly judge: string;
  readonly model: string;
  readonly promptVersion: string;
  /** Made by a fallback; to be re-evaluated by the configured judge (X18). */
  readonly provisional: boolean;
  readonly usage: Usage;
  /** How many examples of reactions the model got. */
  readonly examples?: number;
}

export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In millionths of a US dollar, so that sums stay exact. */
  readonly microUsd: number;
  readonly ms: number;
}

export type Judgement<T> =
  | { readonly outcome: 'judged'; readonly value: T; readonly by: Provenance }
  /** Retry later: unavailable, rate limited, over budget, or no usable answer twice in a row. */
  | {
      readonly outcome: 'later';
      readonly why: JudgeFailure;
      readonly detail: string;
      readonly retryAt?: number;
      /** What the call used nevertheless. */
      readonly usage?: Usage;
    }
  /** A retry is useless: the text is blocked, or too large for this judge. */
  | {
      readonly outcome: 'unfit';
      readonly why: 'blocked' | 'too_large' | 'empty';
      readonly detail: string;
      readonly usage?: Usage;
    };

export type JudgeFailure =
  | 'unreachable'
  | 'timeout'
  | 'rate_limited'
  | 'over_budget'
  | 'no_credit'
  | 'refused_key'
  | 'wrong_model'
  /** The server refuses the request regardless of the text: the settings of the judge are wrong. */
  | 'misconfigured'
  /** The model spent its whole output limit without answering. */
  | 'output_limit'
  | 'bad_answer'
  | 'server_error';
