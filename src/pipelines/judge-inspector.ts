import type { ArticleReader } from '../articles/article.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Item } from '../item/item.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import { changeOf, type InterestsChange, interestsDiff, interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import { type TrialOutcome, tryJudge } from '../judge/try-judge.ts';
import type { Clock } from '../time/clock.ts';
import type { Pipeline } from './pipeline.ts';
import { judgedItems, withOutdatedVerdict } from './re-evaluate.ts';

export interface JudgeInspectorDependencies {
  readonly config: Config;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly judges: ReadonlyMap<string, Judge>;
  readonly history: InterestsHistory;
  readonly reader: ArticleReader;
  readonly clock: Clock;
}

/** What a person can ask of the judges by hand. */
export interface JudgeInspector {
  /** IDs of the pipelines that ask a judge. */
  readonly pipelines: readonly string[];
  /** Puts one page or file before the judge of a pipeline, by its interests. Nothing is recorded or published. */
  try(target: string, pipeline: string, signal: AbortSignal): Promise<JudgeTrial>;
  /** What the next run of a curator would judge again, because its interests are others now. */
  previewRejudging(pipeline: string): Promise<RejudgePreview | null>;
}

export type JudgeTrial = { readonly judge: string; readonly pipeline: string } & TrialOutcome;

export interface RejudgePreview {
  readonly pipeline: string;
  /** Beside each version of the interests that verdicts were made under; `null` where it is no longer known. */
  readonly changes: readonly { readonly since: string; readonly change: InterestsChange | null }[];
  readonly rejudge: readonly { readonly item: Item; readonly why: string }[];
  /** How many verdicts stand. */
  readonly keep: number;
  /** How many one run judges at the most. */
  readonly mostPerRun: number;
}

type JudgedPipeline = Extract<PipelineConfig, { judge: string }>;

export function createJudgeInspector(deps: JudgeInspectorDependencies): JudgeInspector {
  const asking = Object.values(deps.config.pipelines).filter(
    (pipeline): pipeline is JudgedPipeline => 'judge' in pipeline,
  );
  return {
    pipelines: asking.map(({ id }) => id),
    async try(target, id, signal) {
      const pipeline = asking.find((candidate) => candidate.id === id);
      const judge = pipeline === undefined ? undefined : deps.judges.get(pipeline.judge);
      if (pipeline === undefined || judge === undefined) throw new Error(`${id} asks no judge`);
      const interests = pipeline.kind === 'curate' ? interestsOf(pipeline.interests) : null;
      const asked = {
        judge,
        interests,
        style: summaryStyle(pipeline),
        reader: deps.reader,
        clock: deps.clock,
      };
      return { judge: pipeline.judge, pipeline: id, ...(await tryJudge(target, asked, signal)) };
    },
    previewRejudging: (id) => previewRejudging(id, deps),
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
  if (settings?.kind !== 'curate' || pipeline === undefined) return null;
  const interests = interestsOf(settings.interests);
  const { ledger } = pipeline;
  const items = [
    ...(await judgedItems('accepted', { ledger, clock: deps.clock })),
    ...(await judgedItems('rejected', { ledger, clock: deps.clock })),
  ];
  const doubtful = await withOutdatedVerdict(items, { interests, history: deps.history });
  const changes: { since: string; change: InterestsChange | null }[] = [];
  const rejudge: { item: Item; why: string }[] = [];
  for (const [version, group] of Map.groupBy(doubtful, ({ verdict }) => verdict?.interestsVersion ?? '')) {
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
  const keep = items.length - doubtful.length;
  return { pipeline: id, changes, rejudge, keep, mostPerRun: settings.maxJudgedPerRun };
}

function fallbackReason({ verdict }: Item): string {
  return verdict?.provisional === true
    ? 'a stand-in judged it while the judge was away'
    : 'it is no longer known what the interests were';
}
