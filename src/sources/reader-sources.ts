import type { SourceConfig } from '../config/schema/sources.ts';
import type { ReaderSource, ReaderSources } from '../reader/reader-lists.ts';
import type { CatalogueSource, SourceCatalogue } from './source-catalogue.ts';

/** The sources of a catalogue, which returns the same array until something changes, as the reader needs them. */
export function readerSources(catalogue: Pick<SourceCatalogue, 'all'>): ReaderSources {
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

function readerSource({ id, name = id, kind, folders = [], enabled }: SourceConfig): ReaderSource {
  return { id, name, kind, folders, enabled };
}
