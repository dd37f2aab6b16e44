import type { ArticleReader } from '../articles/article.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Item } from '../item/item.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import { changeOf, type InterestsChange, interestsDiff } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import { type TrialOutcome, tryJudge } from '../judge/try-judge.ts';
import type { Clock } from '../time/clock.ts';
import type { LiveInterests } from './live-interests.ts';
import type { Pipeline } from './pipeline.ts';
import { judgedItems, withOutdatedVerdict } from './re-evaluate.ts';
import { type InterestsReport, reportInterests } from './suggest-aliases.ts';

export interface JudgeInspectorDependencies {
  readonly config: Config;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly judges: ReadonlyMap<string, Judge>;
  readonly interests: LiveInterests;
  readonly history: InterestsHistory;
  readonly reader: ArticleReader;
  readonly clock: Clock;
}

/** Manual access to the judges. */
export interface JudgeInspector {
  /** IDs of the pipelines that use a judge. */
  readonly pipelines: readonly string[];
  /** Asks the judge of a pipeline about one page or file, with its interests. Stores and publishes nothing. */
  try(target: string, pipeline: string, signal: AbortSignal): Promise<JudgeTrial>;
  /** What the next run of a curator would re-evaluate because its interests changed. */
  previewRejudging(pipeline: string): Promise<RejudgePreview | null>;
  /** The interests of a curator, with proposals of aliases; `null`: a pipeline without interests. */
  interests(pipeline: string): Promise<InterestsReport | null>;
}

export type JudgeTrial = { readonly judge: string; readonly pipeline: string } & TrialOutcome;

export interface RejudgePreview {
  readonly pipeline: string;
  /** The change since each version of the interests that verdicts were made with; `null` where that version is unknown. */
  readonly changes: readonly { readonly since: string; readonly change: InterestsChange | null }[];
  readonly rejudge: readonly { readonly item: Item; readonly why: string }[];
  /** How many verdicts stay valid. */
  readonly keep: number;
  /** Maximum number of items one run judges. */
  readonly mostPerRun: number;
}

type JudgedPipeline = Extract<PipelineConfig, { judge: string }>;

export function createJudgeInspector(deps: JudgeInspectorDependencies): JudgeInspector {
  const judged = Object.values(deps.config.pipelines).filter(
    (pipeline): pipeline is JudgedPipeline => 'judge' in pipeline,
  );
  return {
    pipelines: judged.map(({ id }) => id),
    async try(target, id, signal) {
      const pipeline = judged.find((candidate) => candidate.id === id);
      const judge = pipeline === undefined ? undefined : deps.judges.get(pipeline.judge);
      if (pipeline === undefined || judge === undefined) throw new Error(`${id} asks no judge`);
      const interests = await deps.interests.effective(id);
      const trial = {
        judge,
        interests,
        style: summaryStyle(pipeline),
        reader: deps.reader,
        clock: deps.clock,
      };
      return { judge: pipeline.judge, pipeline: id, ...(await tryJudge(target, trial, signal)) };
    },
    previewRejudging: (id) => previewRejudging(id, deps),
    interests: (id) => reportInterests(id, deps.interests, deps.pipelines.get(id)?.ledger),
  };
}

function summaryStyle(pipeline: JudgedPipeline) {
  if (pipeline.kind !== 'summarise') return { language: 'ja', sentences: [3, 5] as const, characters: 200 };
  const { language, sentences, characters } = pipeline;
  return { language, sentences: [sentences.least, sentences.most] as const, characters };
}

async function previewRejudging(
  id: string,
  deps: JudgeInspectorDependencies,
): Promise<RejudgePreview | null> {
  const settings = deps.config.pipelines[id];
  const pipeline = deps.pipelines.get(id);
  const interests = await deps.interests.effective(id);
  if (settings?.kind !== 'curate' || interests === null || pipeline === undefined) return null;
  const { ledger } = pipeline;
  const items = [
    ...(await judgedItems('accepted', { ledger, clock: deps.clock })),
    ...(await judgedItems('rejected', { ledger, clock: deps.clock })),
  ];
  const outdated = await withOutdatedVerdict(items, { interests, history: deps.history });
  const changes: { since: string; change: InterestsChange | null }[] = [];
  const rejudge: { item: Item; why: string }[] = [];
  for (const [version, group] of Map.groupBy(outdated, ({ verdict }) => verdict?.interestsVersion ?? '')) {
    const before = await deps.history.at(version);
    if (version !== interests.version)
      changes.push({ since: version, change: before === null ? null : changeOf(before, interests) });
    const why = new Map(
      before === null
        ? []
        : interestsDiff(before, interests, group).rejudge.map(({ item, why }) => [item.key, why]),
    );
    for (const item of group) rejudge.push({ item, why: why.get(item.key) ?? fallbackReason(item) });
  }
  const keep = items.length - outdated.length;
  return { pipeline: id, changes, rejudge, keep, mostPerRun: settings.maxJudgedPerRun };
}

function fallbackReason({ verdict }: Item): string {
  return verdict?.provisional === true
    ? 'the fallback judged it while the judge was unavailable'
    : 'the interests of its verdict are unknown';
}
