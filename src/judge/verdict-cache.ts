import type { Provenance } from './judge.ts';

/**
 * What judges said, so that the same text is not paid for twice (A5, X9). A key stands for everything that made the verdict:
 * question, text, interests, model and prompt.
 */
export interface VerdictCache extends AsyncDisposable {
  get(key: VerdictKey): Promise<CachedVerdict | null>;
  /** The newest verdict on the same text by the same model and prompt, whatever the interests were. */
  latest(key: VerdictKey): Promise<(CachedVerdict & { readonly interestsVersion: string }) | null>;
  put(key: VerdictKey, verdict: CachedVerdict): Promise<void>;
  /** Forgets verdicts that were made before this time. */
  sweep(before: number): Promise<number>;
}

export interface VerdictKey {
  readonly question: 'evaluate' | 'screen' | 'summarise';
  /** Hash of everything that was read: text, title, documents, and the style of a summary. */
  readonly textHash: string;
  /** Empty for questions that have nothing to do with interests. */
  readonly interestsVersion: string;
  readonly model: string;
  readonly promptVersion: string;
}

export interface CachedVerdict {
  /** The answer, as JSON. */
  readonly value: unknown;
  readonly by: Provenance;
  readonly madeAt: number;
}
