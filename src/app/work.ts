import type { PipelineConfig } from '../config/settle.ts';
import { interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunOptions } from '../pipelines/begin-run.ts';
import { curate } from '../pipelines/curate.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import type { PressParts } from '../pipelines/press-room.ts';
import { check } from '../pipelines/process.ts';
import type { RunProgress, RunReport } from '../pipelines/run-report.ts';
import { summarise } from '../pipelines/summarise.ts';
import type { Queue } from '../queue/queue.ts';
import type { Poller } from '../sources/poller.ts';
import { HOUR } from '../time/duration.ts';
import { pageReader } from './page-reader.ts';
import type { PipelineParts } from './pipeline-parts.ts';

/** What a queue has had for so long without anybody taking it up is handed over again (D7). */
const HAND_AGAIN_AFTER = 24 * HOUR;

/** One run of a pipeline, whatever its kind. */
export type Work = (
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
) => Promise<RunReport>;

/** What runs work on, by kind. */
export interface WorkMemory {
  readonly claims: Ledger | null;
  readonly curator: CuratorStore | null;
}

export function workOf(
  settings: PipelineConfig,
  memory: WorkMemory,
  press: PressParts,
  queue: Queue | null,
  poller: Pick<Poller, 'readyFor'>,
  parts: PipelineParts,
): Work {
  const { sources } = settings;
  switch (settings.kind) {
    case 'curate': {
      const { minRelevanceScore, maxArticles, minArticles, maxJudgedPerRun } = settings;
      const store = present(memory.curator, 'store of a curator');
      const curator = {
        ...press,
        store,
        settings: {
          minRelevanceScore,
          maxArticles,
          minArticles,
          concurrency: 4,
          mostJudged: maxJudgedPerRun,
          sameStory: parts.config.identity.sameStory.enabled,
        },
        interests: interestsOf(settings.interests),
        judge: judgeOf(settings.judge, parts),
        history: parts.history,
        reader: parts.reader,
        poller,
        sources,
      };
      return (...ask) => curate(curator, ...ask);
    }
    case 'summarise': {
      const { language, sentences, characters, maxPerRun } = settings;
      const judge = judgeOf(settings.judge, parts);
      const bot = {
        ...press,
        ledger: present(memory.claims, 'ledger with claims'),
        style: { language, sentences: [sentences.least, sentences.most] as const, characters },
        judge,
        mostPerRun: maxPerRun,
        readPage: pageReader(parts.reader, parts.attachments(settings.attachments), judge.abilities.takesPdf),
        poller,
        sources,
        leaseMs: settings.lease,
      };
      return (...ask) => summarise(bot, ...ask);
    }
    case 'process': {
      const { pipeline, clock } = press;
      const checker = {
        pipeline,
        ledger: present(memory.claims, 'ledger with claims'),
        clock,
        queue: present(queue, 'queue'),
        poller,
        sources,
        handAgainAfter: HAND_AGAIN_AFTER,
      };
      return (...ask) => check(checker, ...ask);
    }
  }
}

function present<T>(part: T | null, what: string): T {
  if (part === null) throw new Error(`a pipeline of this kind needs a ${what}`);
  return part;
}

export function judgeOf(id: string, { judges }: PipelineParts): Judge {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}
