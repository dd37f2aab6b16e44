import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { folderPath, normaliseFeedUrl, type SourceConfig } from '../config/schema/sources.ts';
import { sourceSettings } from './discovery.ts';
import type { CatalogueSource } from './source-catalogue.ts';
import type { StoredSource } from './source-catalogue-store.ts';

/** The required fields of a stored record, whichever version wrote it. */
const recordSchema = z.object({
  settings: z.record(z.string(), z.unknown()).nullable(),
  name: z.string().min(1).max(100).nullable(),
  enabled: z.boolean().nullable(),
  folders: folderPath().nullable(),
  pipelines: z.array(z.string()),
  addedBy: z.enum(['page', 'command', 'opml']),
});

/** Sources by their IDs and by what they read. */
export class SourceIndex {
  readonly #byId = new Map<string, CatalogueSource>();
  readonly #byAddress = new Map<string, string>();

  constructor(sources: Iterable<CatalogueSource> = []) {
    for (const source of sources) this.set(source);
  }

  set(source: CatalogueSource): void {
    const { id } = source.settings;
    this.#byId.set(id, source);
    this.#byAddress.set(addressOf(source.settings), id);
  }

  get(id: string): CatalogueSource | undefined {
    return this.#byId.get(id);
  }

  /** ID of the source that reads the same place. */
  sameAs(settings: SourceConfig): string | null {
    return this.#byAddress.get(addressOf(settings)) ?? null;
  }

  values(): Iterable<CatalogueSource> {
    return this.#byId.values();
  }
}

/**
 * A stored record as a source, on top of what the file declares; or the reason why it cannot be used. `null`: it changed a
 * source that the file no longer declares. `known`: the sources so far.
 */
export function applyStoredSource(
  record: StoredSource,
  known: SourceIndex,
  { pipelines }: Pick<Config, 'pipelines'>,
): CatalogueSource | string | null {
  const checked = recordSchema.safeParse(record);
  if (!checked.success)
    return checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const assignedPipelines = record.pipelines.filter((id) => Object.hasOwn(pipelines, id));
  const declared = known.get(record.id);
  if (record.settings === null) {
    if (declared === undefined) return null;
    return { settings: changed(declared.settings, record), origin: 'file', assignedPipelines, record };
  }
  if ('key' in record.settings) return 'a secret can only be in the configuration file';
  const settings = sourceSettings(record.settings, record.id);
  if (typeof settings === 'string') return settings;
  if (settings.kind === 'plugin') return 'a source of a plugin can only be in the configuration file';
  if (declared !== undefined) {
    if (addressOf(declared.settings) !== addressOf(settings))
      return 'the configuration file declares another source with this ID: rename that one';
    // Moved into the file, for example by `sources export --yaml`.
    return { settings: changed(declared.settings, record), origin: 'file', assignedPipelines, record };
  }
  const same = known.sameAs(settings);
  if (same !== null) return `it is the same as the source \`${same}\``;
  return { settings: changed(settings, record), origin: record.addedBy, assignedPipelines, record };
}

function changed(settings: SourceConfig, { name, enabled, folders }: StoredSource): SourceConfig {
  return {
    ...settings,
    ...(name !== null && { name }),
    ...(enabled !== null && { enabled }),
    ...(folders !== null && { folders }),
  };
}

/** Equal for settings that read the same place. */
function addressOf(settings: SourceConfig): string {
  switch (settings.kind) {
    case 'feed':
      return `feed ${normaliseFeedUrl(settings.url)}`;
    case 'youtube':
      return `youtube ${settings.channel}`;
    case 'hackernews':
      return `hackernews ${settings.list}`;
    case 'plugin':
      // What two sources of a plugin have in common is not known here.
      return `plugin ${settings.id}`;
  }
}
