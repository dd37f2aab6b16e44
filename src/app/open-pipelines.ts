import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Intake } from './intake.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { pipelineOf } from './pipelines.ts';
import { emptyStarts } from './renamed-pipelines.ts';

/** Every pipeline of the configuration, each following its sources. */
export async function openPipelines(
  parts: PipelineParts,
  intake: Intake,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pipeline>> {
  const { config, engine, log } = parts;
  const pipelines = new Map<string, Pipeline>();
  for (const { pipeline, detail, cure } of await emptyStarts(config, engine.runs))
    log.warn('Pipeline starts with an empty memory', { pipeline, detail, cure });
  for (const settings of Object.values(config.pipelines)) {
    const { id, kind, sources } = settings;
    const memory = await engine.memoryOf(settings, signal);
    const pipeline = await pipelineOf(settings, memory, intake.admittedBy, parts);
    pipelines.set(id, pipeline);
    intake.follow({
      pipeline: id,
      sources,
      ledger: memory.ledger,
      ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
      handOver: kind === 'process' && settings.queue === 'pubsub',
      seenAgain: (sightings) =>
        // Trouble with an edit never holds up the news.
        pipeline.seenAgain(sightings).catch((error: unknown) => {
          log.error('edited items could not be looked at', { pipeline: id, error });
        }),
    });
  }
  return pipelines;
}
