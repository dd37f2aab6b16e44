import type { PairInDoubt } from './same-story.ts';

/** Opinion on a pair that the rules leave in doubt (Q16). */
export type Opinion =
  | { readonly outcome: 'answered'; readonly same: boolean; readonly similarity: number }
  /** It could not be asked: the rules decide. */
  | { readonly outcome: 'unasked'; readonly why: 'failed' | 'budget' }
  /** None is configured. */
  | { readonly outcome: 'off' };

/** Decides pairs in doubt, for example by an embedding model. */
export interface SecondOpinion {
  /** One opinion for each pair. Rejects only if the caller aborts. */
  about(pairs: readonly PairInDoubt[], signal?: AbortSignal): Promise<readonly Opinion[]>;
}

export const NO_OPINION: SecondOpinion = { about: async (pairs) => pairs.map(() => ({ outcome: 'off' })) };
