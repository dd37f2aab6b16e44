import type { Fetcher } from '../fetch/fetcher.ts';
import type { Judge } from '../judge/judge.ts';
import type { Publisher } from '../publishers/publisher.ts';
import type { Source, SourceStore } from '../sources/source.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { StandardSchema } from './standard-schema.ts';

/** Version of this interface. It changes only when a plugin written for the version before would not work any more. */
export const PLUGIN_API_VERSION = 1;

/**
 * What a package or file named below `plugins:` exports by default: kinds of sources, judges, publishers and source stores.
 * A configuration uses them by `kind:`. Kinds are made of lower-case letters, digits and `-`.
 */
export interface Plugin {
  /** Name for people and for the log, usually that of the package. */
  readonly name: string;
  /** `PLUGIN_API_VERSION` of the Kawaraban that it was written for. */
  readonly apiVersion: number;
  readonly sources?: Readonly<Record<string, SourceDefinition>>;
  readonly judges?: Readonly<Record<string, JudgeDefinition>>;
  readonly publishers?: Readonly<Record<string, PublisherDefinition>>;
  readonly sourceStores?: Readonly<Record<string, SourceStoreDefinition>>;
}

/**
 * A kind of source. `create` returns at once and contacts nothing: that is for `read`. An error is a failed reading, like one of
 * `read`.
 */
export interface SourceDefinition<Settings = unknown> {
  /** Checks the keys of the entry that are not Kawaraban's own (`name`, `folders`, `enabled`, `every`, `first_contact`). */
  readonly settings: StandardSchema<Settings>;
  create(settings: Settings, services: SourceServices): Pick<Source, 'read'>;
}

/**
 * A kind of judge. An error of `create` refuses the start; one of a question counts as `later`, as does an answer that does not
 * come within `timeout`, or is not one.
 */
export interface JudgeDefinition<Settings = unknown> {
  /** Checks the keys of the entry that are not Kawaraban's own (`fallback`, `timeout`). */
  readonly settings: StandardSchema<Settings>;
  create(settings: Settings, services: JudgeServices): Omit<Judge, 'id'> | Promise<Omit<Judge, 'id'>>;
}

/**
 * A kind of publisher. An error of `create` refuses the start; one of `send` is an `unknown` outcome, as is an answer that does not
 * come within `timeout`, or is not one. Created for each pipeline that publishes to it.
 */
export interface PublisherDefinition<Settings = unknown> {
  /**
   * Checks the keys of the entry that are not Kawaraban's own (`timeout`, `max_per_day`, `time_zone`, `update_edited`).
   */
  readonly settings: StandardSchema<Settings>;
  create(
    settings: Settings,
    services: PublisherServices,
  ): Omit<Publisher, 'id'> | Promise<Omit<Publisher, 'id'>>;
}

/**
 * A kind of store for the state of sources (`polling.store`). An error of `create` refuses the start. It is disposed at the end if it
 * has `Symbol.asyncDispose`.
 */
export interface SourceStoreDefinition<Settings = unknown> {
  readonly settings: StandardSchema<Settings>;
  create(
    settings: Settings,
    services: PluginServices,
  ): (SourceStore & Partial<AsyncDisposable>) | Promise<SourceStore & Partial<AsyncDisposable>>;
}

/** What Kawaraban gives to everything that it creates. */
export interface PluginServices {
  /** ID of the entry in the configuration; `store` for `polling.store`. */
  readonly id: string;
  /** Folder of the configuration file, which relative paths in settings start from. */
  readonly folder: string;
  /** HTTP client with address check, limits and politeness. Use it for every request. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Every line carries the plugin and the ID. Secrets are masked. */
  readonly log: Logger;
}

export interface SourceServices extends PluginServices {
  /** Display name. */
  readonly name: string;
}

export interface JudgeServices extends PluginServices {
  /** Another judge of the configuration; `local` always exists. Rejects if there is none, or if the two need each other. */
  judge(id: string): Promise<Judge>;
}

export interface PublisherServices extends PluginServices {
  /** ID of the pipeline whose messages it sends. */
  readonly pipeline: string;
}

/** A secret of the settings, written as `{ env: NAME }` or `{ file: path }`. Printing it gives `[secret]`. */
export interface PluginSecret {
  /** The value. Throws if it is missing, in a command that does not need it. */
  reveal(): string;
}

/** Marks secrets: two installed copies of Kawaraban have two classes. */
export const SECRET_MARK: symbol = Symbol.for('kawaraban.secret');

/** Whether a setting is a secret, for validators: `z.custom<PluginSecret>(isSecret)`. */
export function isSecret(value: unknown): value is PluginSecret {
  return typeof value === 'object' && value !== null && SECRET_MARK in value;
}

/** Kinds of entries by the settings that they take; types only. */
interface PluginOf<Sources, Judges, Publishers, SourceStores> {
  readonly name: string;
  readonly apiVersion: typeof PLUGIN_API_VERSION;
  readonly sources?: { readonly [Kind in keyof Sources]: SourceDefinition<Sources[Kind]> };
  readonly judges?: { readonly [Kind in keyof Judges]: JudgeDefinition<Judges[Kind]> };
  readonly publishers?: { readonly [Kind in keyof Publishers]: PublisherDefinition<Publishers[Kind]> };
  readonly sourceStores?: {
    readonly [Kind in keyof SourceStores]: SourceStoreDefinition<SourceStores[Kind]>;
  };
}

/** Gives `create` the type of settings that the validator returns. Does nothing else: a plain object is a plugin too. */
export function definePlugin<Sources = object, Judges = object, Publishers = object, SourceStores = object>(
  plugin: PluginOf<Sources, Judges, Publishers, SourceStores>,
): Plugin {
  return plugin as Plugin;
}
