import type { Clock } from '../time/clock.ts';
import type { Judge, JudgeFailure, Judgement } from './judge.ts';

export interface FallbackOptions {
  readonly clock: Clock;
  /** The judge must have been away for so long before the other one steps in. */
  readonly afterMs: number;
}

/** One article that a model cannot answer well is no reason to replace the judge. */
const NOT_OUTAGES: ReadonlySet<JudgeFailure> = new Set<JudgeFailure>(['bad_answer']);

/**
 * A judge with a stand-in for the days when it is away (X18). A verdict of the stand-in names it as its judge and is
 * marked provisional: it is to be made again by the judge itself.
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
