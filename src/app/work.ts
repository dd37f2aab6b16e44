import type { PipelineConfig } from '../config/settle.ts';
import { interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import type { SourcesRead } from '../pipelines/begin-run.ts';
import { curate } from '../pipelines/curate.ts';
import type { PressParts } from '../pipelines/press-room.ts';
import type { RunProgress, RunReport } from '../pipelines/run-report.ts';
import { summarise } from '../pipelines/summarise.ts';
import { pageReader } from './page-reader.ts';
import type { PipelineParts } from './pipeline-parts.ts';

/** One run of a pipeline, whatever its kind. */
export type Work = (signal: AbortSignal, watch?: (progress: RunProgress) => void) => Promise<RunReport>;

export function workOf(
  settings: PipelineConfig,
  press: PressParts,
  readSources: (signal: AbortSignal) => Promise<SourcesRead>,
  parts: PipelineParts,
): Work {
  switch (settings.kind) {
    case 'curate': {
      const { minRelevanceScore, maxArticles, minArticles, maxJudgedPerRun } = settings;
      const curator = {
        ...press,
        settings: {
          minRelevanceScore,
          maxArticles,
          minArticles,
          concurrency: 4,
          mostJudged: maxJudgedPerRun,
        },
        interests: interestsOf(settings.interests),
        judge: judgeOf(settings.judge, parts),
        reader: parts.reader,
        readSources,
      };
      return (signal, watch) => curate(curator, signal, watch);
    }
    case 'summarise': {
      const { language, sentences, characters, maxPerRun } = settings;
      const judge = judgeOf(settings.judge, parts);
      const bot = {
        ...press,
        style: { language, sentences: [sentences.least, sentences.most] as const, characters },
        judge,
        mostPerRun: maxPerRun,
        readPage: pageReader(parts.reader, parts.attachments(settings.attachments), judge.abilities.takesPdf),
        readSources,
      };
      return (signal, watch) => summarise(bot, signal, watch);
    }
    case 'process':
      throw new Error('process pipelines are not wired yet');
  }
}

function judgeOf(id: string, { judges }: PipelineParts): Judge {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}

/** Reads the pipeline's own sources now; what they bring goes to every pipeline that follows them. */
export function readSourcesOf(
  { id, sources }: PipelineConfig,
  admittedBy: (pipeline: string) => number,
  { desk, followed }: Pick<PipelineParts, 'desk' | 'followed'>,
): (signal: AbortSignal) => Promise<SourcesRead> {
  return async (signal) => {
    const before = admittedBy(id);
    const reports = await desk.round(
      sources.flatMap((source) => followed.get(source) ?? []),
      signal,
    );
    const failed = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_stored').length;
    const read = reports.filter(({ outcome }) => outcome === 'read' || outcome === 'unchanged').length;
    return { read, failed, admitted: admittedBy(id) - before };
  };
}
