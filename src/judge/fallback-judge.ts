import type { Clock } from '../time/clock.ts';
import type { Judge, JudgeFailure, Judgement } from './judge.ts';

export interface FallbackOptions {
  readonly clock: Clock;
  /** How long the judge must be unavailable before the fallback is used. */
  readonly afterMs: number;
}

/** Failures of a single article do not trigger the fallback. */
const NOT_OUTAGES: ReadonlySet<JudgeFailure> = new Set<JudgeFailure>(['bad_answer']);

/**
 * A judge with a fallback for the time when it is unavailable (X18). A verdict of the fallback names it as its judge and is
 * marked provisional: the judge itself re-evaluates the item later.
 */
export function withFallback(judge: Judge, standIn: Judge, options: FallbackOptions): Judge {
  let awaySince: number | null = null;

  const orStandIn = async <T>(asked: Promise<Judgement<T>>, instead: () => Promise<Judgement<T>>) => {
    const judgement = await asked;
    if (judgement.outcome !== 'later' || NOT_OUTAGES.has(judgement.why)) {
      awaySince = null;
      return judgement;
    }
    const now = options.clock.monotonic();
    awaySince ??= now;
    if (now - awaySince < options.afterMs) return judgement;
    return asProvisional(await instead());
  };

  return {
    id: judge.id,
    abilities: judge.abilities,
    evaluate: (article, interests, signal) =>
      orStandIn(judge.evaluate(article, interests, signal), () =>
        standIn.evaluate(article, interests, signal),
      ),
    screen: (page, documents, signal) =>
      orStandIn(judge.screen(page, documents, signal), () => standIn.screen(page, documents, signal)),
    summarise: (page, documents, style, signal) =>
      orStandIn(judge.summarise(page, documents, style, signal), () =>
        standIn.summarise(page, documents, style, signal),
      ),
  };
}

function asProvisional<T>(judgement: Judgement<T>): Judgement<T> {
  if (judgement.outcome !== 'judged') return judgement;
  return { ...judgement, by: { ...judgement.by, provisional: true } };
}
