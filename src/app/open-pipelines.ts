import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Admission } from '../sources/admission.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { pipelineOf } from './pipelines.ts';
import { emptyStarts } from './renamed-pipelines.ts';

/** Every pipeline of the configuration, each getting what its sources report. */
export async function openPipelines(
  parts: PipelineParts,
  admission: Admission,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pipeline>> {
  const { config, engine, log } = parts;
  const pipelines = new Map<string, Pipeline>();
  for (const { pipeline, detail, cure } of await emptyStarts(config, engine.runs))
    log.warn('Pipeline starts with an empty memory', { pipeline, detail, cure });
  for (const settings of Object.values(config.pipelines)) {
    const { id, kind, sources } = settings;
    const memory = await engine.memoryOf(settings, signal);
    const pipeline = await pipelineOf(settings, memory, parts);
    pipelines.set(id, pipeline);
    admission.add({
      pipeline: id,
      sources,
      ledger: memory.ledger,
      ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
      handOver: kind === 'process' && settings.queue === 'pubsub',
      edits: pipeline,
    });
  }
  return pipelines;
}
