import type { PipelineConfig } from '../config/resolve.ts';
import type { CatalogueSource, SourceCatalogue } from './source-catalogue.ts';

/** The sources of a pipeline as IDs: a list, or one that follows changes. */
export interface PipelineSources extends Iterable<string> {
  includes(sourceId: string): boolean;
}

export type PipelineInput = Pick<PipelineConfig, 'id' | 'kind' | 'sources' | 'folders'>;

/** Whether a pipeline uses a source: its configuration names it or one of its folders, or it was assigned (R4). */
export function usesSource(
  { id, kind, sources, folders }: PipelineInput,
  { settings, assignedPipelines }: CatalogueSource,
): boolean {
  if (sources.includes(settings.id)) return true;
  // Process pipelines handle videos only; a folder may hold feeds too.
  if (kind === 'process' && settings.kind !== 'youtube') return false;
  const { folders: path = [] } = settings;
  return assignedPipelines.includes(id) || folders.some((folder) => isInFolder(path, folder));
}

/** Whether a folder path is this folder, written `News/World`, or inside of it. */
function isInFolder(path: readonly string[], folder: string): boolean {
  return `${path.join('/')}/`.startsWith(`${folder}/`);
}

/** The sources of a pipeline as they are at each call. */
export function livePipelineSources(
  pipeline: PipelineInput,
  catalogue: Pick<SourceCatalogue, 'all' | 'get'>,
): PipelineSources {
  return {
    includes(sourceId) {
      const source = catalogue.get(sourceId);
      return source !== null && usesSource(pipeline, source);
    },
    *[Symbol.iterator]() {
      for (const source of catalogue.all()) if (usesSource(pipeline, source)) yield source.settings.id;
    },
  };
}
