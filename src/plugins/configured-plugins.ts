import type { RuleViolation } from '../config/cross-rules.ts';
import type { Secret } from '../config/secrets.ts';
import type {
  JudgeDefinition,
  PublisherDefinition,
  SourceDefinition,
  SourceStoreDefinition,
} from './plugin.ts';

/** What each section of the configuration takes from plugins. */
export interface PluginDefinitions {
  readonly sources: SourceDefinition;
  readonly judges: JudgeDefinition;
  readonly publishers: PublisherDefinition;
  readonly sourceStores: SourceStoreDefinition;
}

export type PluginSection = keyof PluginDefinitions;

/** ID of the only entry of the section `sourceStores`, which is `polling.store`. */
export const SOURCE_STORE = 'store';

/** An entry of the configuration whose kind is of a plugin. */
export interface ConfiguredEntry<Definition> {
  /** Name of the plugin. */
  readonly plugin: string;
  readonly kind: string;
  readonly definition: Definition;
  /** As the plugin's validator returned them. */
  readonly settings: unknown;
  /** The secrets among the settings. */
  readonly secrets: readonly Secret[];
}

/** A plugin that was loaded. */
export interface LoadedPlugin {
  readonly name: string;
  /** As written in the configuration. */
  readonly specifier: string;
  /** The kinds that it brings, by section. */
  readonly kinds: Readonly<Record<PluginSection, readonly string[]>>;
}

type Entries = {
  readonly [Section in PluginSection]: ReadonlyMap<string, ConfiguredEntry<PluginDefinitions[Section]>>;
};

/** The plugins of a configuration, with its entries that use them. */
export class ConfiguredPlugins {
  readonly loaded: readonly LoadedPlugin[];
  /** Problems of the plugins and of the settings that they check. */
  readonly violations: readonly RuleViolation[];
  readonly #entries: Entries | null;

  constructor(
    loaded: readonly LoadedPlugin[] = [],
    entries: Entries | null = null,
    violations: readonly RuleViolation[] = [],
  ) {
    this.loaded = loaded;
    this.violations = violations;
    this.#entries = entries;
  }

  /** Kinds that plugins add to a section. */
  kinds(section: PluginSection): readonly string[] {
    return this.loaded.flatMap(({ kinds }) => kinds[section]);
  }

  /** The entry with this ID. Throws if its plugin was not loaded: the configuration was only read, not checked with its plugins. */
  entry<Section extends PluginSection>(
    section: Section,
    id: string,
  ): ConfiguredEntry<PluginDefinitions[Section]> {
    const found = this.#entries?.[section].get(id);
    if (found === undefined) throw new Error(`The plugin of ${section}.${id} was not loaded.`);
    return found;
  }

  toJSON(): readonly string[] {
    return this.loaded.map(({ specifier }) => specifier);
  }
}

export const NO_PLUGINS = new ConfiguredPlugins();
