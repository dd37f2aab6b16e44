import type { Events } from '../telemetry/events.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import type { Judge, Judgement } from './judge.ts';

export interface ObservedJudgeDependencies {
  readonly clock: Clock;
  readonly events: Pick<Events, 'judgeCalled'>;
}

type Question = Parameters<Events['judgeCalled']>[0]['question'];

/** A judge whose every call is logged, counted, timed and traced. */
export function withTelemetry(
  judge: Judge,
  model: string,
  { clock, events }: ObservedJudgeDependencies,
): Judge {
  const { id, abilities } = judge;
  const called = <T>(question: Question, ask: () => Promise<Judgement<T>>): Promise<Judgement<T>> =>
    inSpan(
      'judge.call',
      { judge: id, model, question },
      async () => {
        const began = clock.monotonic();
        const judgement = await ask();
        const { outcome } = judgement;
        const usage = outcome === 'judged' ? judgement.by.usage : judgement.usage;
        events.judgeCalled({
          judge: id,
          model,
          question,
          outcome,
          ...(outcome !== 'judged' && { why: judgement.why }),
          ms: clock.monotonic() - began,
          inputTokens: usage?.inputTokens ?? 0,
          outputTokens: usage?.outputTokens ?? 0,
          microUsd: usage?.microUsd ?? 0,
        });
        return judgement;
      },
      failureText,
    );
  return {
    id,
    abilities,
    evaluate: (...ask) => called('evaluate', () => judge.evaluate(...ask)),
    screen: (...ask) => called('screen', () => judge.screen(...ask)),
    summarise: (...ask) => called('summarise', () => judge.summarise(...ask)),
  };
}

function failureText(judgement: Judgement<unknown>): string | null {
  return judgement.outcome === 'judged' ? null : `${judgement.why}: ${judgement.detail}`;
}
