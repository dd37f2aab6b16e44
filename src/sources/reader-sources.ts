import type { SourceConfig } from '../config/schema/sources.ts';
import type { ReaderSource, ReaderSources } from '../reader/reader-lists.ts';

interface CatalogueSource {
  readonly settings: SourceConfig;
}

/** The sources of a catalogue, which returns the same array until something changes, as the reader needs them. */
export function readerSources(catalogue: { all(): readonly CatalogueSource[] }): ReaderSources {
  let known: readonly CatalogueSource[] | null = null;
  let shown: readonly ReaderSource[] = [];
  return {
    all() {
      const all = catalogue.all();
      if (all !== known) shown = all.map(({ settings }) => readerSource(settings));
      known = all;
      return shown;
    },
  };
}

function readerSource(settings: SourceConfig): ReaderSource {
  const { id, name = id, kind, enabled } = settings;
  const folders = ('folders' in settings ? settings.folders : undefined) ?? [];
  return { id, name, kind, folders, enabled };
}
