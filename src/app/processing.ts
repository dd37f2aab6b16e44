import type { PipelineConfig } from '../config/settle.ts';
import type { Judge } from '../judge/judge.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { commandProcessor } from '../pipelines/command/command-processor.ts';
import type { PressParts } from '../pipelines/press-room.ts';
import { work } from '../pipelines/process.ts';
import type { Processor } from '../pipelines/processor.ts';
import { summaryProcessor } from '../pipelines/summary-processor.ts';
import type { Queue } from '../queue/queue.ts';
import type { PipelineParts } from './pipeline-parts.ts';

type ProcessConfig = Extract<PipelineConfig, { kind: 'process' }>;

/** The worker of a process pipeline, until the signal; at once where this copy only looks for videos. */
export async function keepProcessing(
  settings: ProcessConfig,
  press: PressParts & { readonly ledger: Ledger },
  queue: Queue,
  judgeOf: (id: string) => Judge,
  parts: PipelineParts,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.worker) return;
  const { concurrency } = settings.processor;
  const processor = processorOf(settings, judgeOf, parts);
  await work({ ...press, queue, processor, concurrency, leaseMs: settings.lease }, signal);
}

function processorOf(
  { processor }: ProcessConfig,
  judgeOf: (id: string) => Judge,
  { clock, config }: PipelineParts,
): Processor {
  if (processor.kind === 'builtin') {
    return summaryProcessor({ judge: judgeOf(processor.judge), language: processor.language });
  }
  const { command, folder = config.data, timeout, keepOutput } = processor;
  return commandProcessor({ command, folder, timeoutMs: timeout, keepOutput, clock });
}
