import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import { changeCanMatter } from '../judge/interests.ts';
import type { Interests } from '../judge/judge.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import type { RunRecorder } from '../scheduler/run-report.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import type { CuratorStore } from './curator-store.ts';
import type { RunVerdicts } from './evaluate.ts';
import {
  decide,
  type EvaluateDependencies,
  type Evaluated,
  evaluate,
  eventFor,
  stepFor,
} from './evaluate.ts';
import { verdictNow } from './learned-verdicts.ts';

/** Items rejected longer ago are too old to be published, so they are not re-evaluated. */
export const REJECTED_WINDOW_MS = 3 * DAY;

export interface ReEvaluateDependencies extends EvaluateDependencies {
  readonly clock: Clock;
  readonly ledger: ItemStore;
  readonly store: Pick<CuratorStore, 'article'>;
  readonly settings: EvaluateDependencies['settings'] & { readonly concurrency: number };
  /** The interests of older verdicts, by version. */
  readonly history: InterestsHistory;
}

/** How many articles a run may still judge. */
export interface EvaluationQuota {
  left: number;
}

/**
 * Re-evaluates outdated verdicts (A5, X18): those of a stand-in, and those that a change of interests can affect. An
 * unavailable judge changes nothing. Returns the items whose verdict still belongs to other interests.
 */
export async function reEvaluate(
  outdated: readonly Item[],
  deps: ReEvaluateDependencies,
  verdicts: RunVerdicts,
  allowance: EvaluationQuota,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<ReadonlySet<ItemKey>> {
  const waiting = new Set(
    outdated
      .filter(({ verdict }) => verdict?.interestsVersion !== deps.interests.version)
      .map(({ key }) => key),
  );
  let unavailable = false;
  const queue = outdated.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (signal.aborted || unavailable || allowance.left <= 0) return;
      allowance.left--;
      const evaluated = await evaluate(item, deps, signal);
      if (signal.aborted) return;
      unavailable ||= isJudgeUnavailable(evaluated);
      if (!isImprovement(evaluated, item, deps.interests)) continue;
      if (await recordReEvaluation(item, evaluated, deps, verdicts, run)) waiting.delete(item.key);
    }
  };
  await Promise.all(Array.from({ length: deps.settings.concurrency }, worker));
  return waiting;
}

/** Judged items of a state; rejected ones only within `REJECTED_WINDOW_MS`. */
export async function judgedItems(
  state: 'accepted' | 'rejected',
  { ledger, clock }: Pick<ReEvaluateDependencies, 'ledger' | 'clock'>,
): Promise<Item[]> {
  const since = state === 'rejected' ? clock.now() - REJECTED_WINDOW_MS : 0;
  return (await allItems(ledger, state, since)).filter(isJudgedByRelevance);
}

/** An item rejected by a person or another rule stays rejected, whatever the interests are. */
function isJudgedByRelevance({ state, reason }: Item): boolean {
  return state === 'accepted' || reason === 'low_relevance' || reason === 'no_topic_match';
}

/** Items with a verdict of a stand-in, or one that the current interests may change. */
export async function withOutdatedVerdict(
  items: readonly Item[],
  { interests, history }: Pick<ReEvaluateDependencies, 'interests' | 'history'>,
): Promise<Item[]> {
  const versions = new Set(items.flatMap(({ verdict }) => verdict?.interestsVersion ?? []));
  const known = new Map<string, Interests | null>();
  for (const version of versions) known.set(version, await history.at(version));
  return items.filter(({ verdict }) => {
    if (verdict === null) return false;
    if (verdict.provisional) return true;
    if (verdict.interestsVersion === interests.version) return false;
    const before = known.get(verdict.interestsVersion) ?? null;
    return before === null || changeCanMatter(before, interests, verdict.topics);
  });
}

function isJudgeUnavailable(evaluated: Evaluated): boolean {
  if (evaluated.outcome !== 'asked') return false;
  const { judged } = evaluated;
  if (judged.outcome === 'judged') return judged.by.provisional;
  return judged.outcome === 'later' && judged.why !== 'bad_answer' && judged.why !== 'output_limit';
}

/** A stand-in's second verdict is no better than its first. A candidate that became unreadable is rejected. */
function isImprovement(evaluated: Evaluated, item: Item, interests: Interests): boolean {
  if (evaluated.outcome === 'unreadable') return item.state === 'accepted' && !evaluated.retryable;
  const { judged } = evaluated;
  if (judged.outcome === 'later') return false;
  if (judged.outcome === 'unfit') return item.state === 'accepted';
  return !judged.by.provisional || item.verdict?.interestsVersion !== interests.version;
}

async function recordReEvaluation(
  item: Item,
  evaluated: Evaluated,
  deps: ReEvaluateDependencies,
  verdicts: RunVerdicts,
  run: RunRecorder,
): Promise<boolean> {
  if (item.state === 'rejected') {
    const requeue: LifecycleEvent = { type: 'requeue', detail: DETAIL_TEXTS.judged_again };
    if (!(await deps.ledger.intervene(item.key, requeue, 'kawaraban')).done) return false;
  }
  const article = await deps.store.article(item.key);
  if (article === null) return false;
  const outcome = await verdicts.save(article, eventFor(evaluated, deps), stepFor(evaluated, deps));
  run.item(outcome);
  return outcome.outcome !== 'lost';
}

/**
 * Decides again where reactions came or were removed since (Q22): from the score of the judge alone, without asking it.
 * `items` wait for a digest, or were rejected for their score lately.
 */
export async function moveAgain(
  items: readonly Item[],
  deps: ReEvaluateDependencies,
  verdicts: RunVerdicts,
  run: RunRecorder,
): Promise<void> {
  for (const item of items) {
    const { verdict } = item;
    if (verdict === null || verdict.score === null || verdict.learned?.examples !== undefined) continue;
    const next = verdictNow(item, verdict, deps.learned);
    if (next === null) continue;
    const event = decide(next, deps.settings);
    const step = { verdict: { ...next, minScore: deps.settings.minRelevanceScore } };
    if (item.state === 'rejected') {
      // Besides those that are accepted now, those that nothing moves any more: their verdict says so.
      if (event.type !== 'accept' && next.learned !== undefined) continue;
      const detail = DETAIL_TEXTS.judged_again;
      if (!(await deps.ledger.intervene(item.key, { type: 'requeue', detail }, 'kawaraban')).done) continue;
    }
    const article = await deps.store.article(item.key);
    if (article !== null) run.item(await verdicts.save(article, event, step));
  }
}
