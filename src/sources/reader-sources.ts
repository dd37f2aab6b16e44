import type { SourceConfig } from '../config/schema/sources.ts';
import type { ReaderSource, ReaderSources } from '../reader/reader-lists.ts';
import type { CatalogueSource, SourceCatalogue } from './source-catalogue.ts';
import { kindOf } from './source-status.ts';

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

function readerSource(settings: SourceConfig): ReaderSource {
  const { id, name = id, folders = [], enabled } = settings;
  return { id, name, kind: kindOf(settings), folders, enabled, site: siteOf(settings) };
}

/** Only the origin: a path may contain a secret. */
function siteOf(settings: SourceConfig): string | null {
  const address = addressOf(settings);
  return address === null ? null : (URL.parse(address)?.origin ?? null);
}

function addressOf(settings: SourceConfig): string | null {
  switch (settings.kind) {
    case 'feed':
      return settings.url;
    case 'youtube':
      return settings.feedUrl ?? 'https://www.youtube.com';
    case 'hackernews':
      return settings.siteUrl;
    case 'plugin':
      return null;
  }
}
