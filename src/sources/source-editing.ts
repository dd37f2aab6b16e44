import type { Config } from '../config/config.ts';
import { blockedAddress } from '../config/cross-rules.ts';
import { ID } from '../config/schema/section.ts';
import { normaliseFeedUrl } from '../config/schema/sources.ts';
import type { EntryStore } from '../reader/entry-store.ts';
import type { Clock } from '../time/clock.ts';
import {
  type DiscoveredSource,
  discoverSources,
  parseSourceAddress,
  type SourceFields,
  type SourceTrial,
  sourceSettings,
} from './discovery.ts';
import type { SourceIconStore } from './icons/source-icon-store.ts';
import { type OpmlSource, readOpmlSources, writeOpmlSources } from './opml-sources.ts';
import type { SourceStore } from './source.ts';
import type { CatalogueSource, SourceCatalogue, SourceChange } from './source-catalogue.ts';
import type { NewStoredSource } from './source-catalogue-store.ts';

export type EditResult<T = object> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly why: 'unknown'; readonly detail: string }
  | { readonly ok: false; readonly why: 'unreachable'; readonly error: TrialError; readonly detail: string }
  | ({ readonly ok: false; readonly why: 'refused' } & Refusal);

type TrialError = Extract<SourceTrial, { outcome: 'failed' }>['why'];

/** Why a change is refused; with a stable name and its values where a client may show its own text. */
export interface Refusal {
  readonly detail: string;
  readonly code?: 'source_exists' | 'source_in_file' | 'several_feeds' | 'invalid_address' | 'invalid_opml';
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What is known about a source that is added, besides its address. */
export interface SourceDetails {
  /** Default: derived from its name. */
  readonly id?: string;
  /** Default: its title. */
  readonly name?: string;
  readonly folders: readonly string[];
  readonly pipelines: readonly string[];
  /** Even if it cannot be read now. */
  readonly anyway: boolean;
}

/** What an address may refer to: usually one source, several where a page links to several feeds. */
export type SourcePreview =
  | { readonly ok: true; readonly candidates: readonly SourceCandidate[] }
  | { readonly ok: false; readonly error: TrialError | 'invalid_address'; readonly detail: string };

export interface SourceCandidate {
  /** The address to add it by. */
  readonly address: string;
  readonly title: string | null;
  /** ID of a source that is the same. */
  readonly known: string | null;
  readonly identity: { readonly by: string; readonly why: string } | null;
  /** Why it cannot be read; `null` if it can. */
  readonly trouble: string | null;
  /** The newest. */
  readonly items: readonly {
    readonly title: string;
    readonly url: string;
    readonly publishedAt: number;
  }[];
  readonly warnings: readonly string[];
}

export interface OpmlImportOptions {
  readonly pipeline?: string;
  /** Folder to put them into, outermost first; those of the file are inside of it. */
  readonly folders?: readonly string[];
  readonly dryRun: boolean;
  readonly onProgress?: (done: number) => void;
}

export type OpmlImport = EditResult<{
  readonly added: readonly { readonly id: string; readonly url: string }[];
  readonly known: number;
  readonly skipped: number;
}>;

export interface SourceEditingDependencies {
  readonly config: Config;
  readonly catalogue: SourceCatalogue;
  /** States of the sources. */
  readonly records: Pick<SourceStore, 'remove'>;
  /** The entries of the sources, where they are kept. */
  readonly entries?: Pick<EntryStore, 'removeSource'>;
  readonly icons?: Pick<SourceIconStore, 'remove'>;
  /** Who makes the changes. */
  readonly by: 'page' | 'command';
  readonly clock: Clock;
}

const MAX_ITEMS_SHOWN = 20;
const MAX_NAME_LENGTH = 100;
const MAX_ID_LENGTH = 64;
const MAX_FOLDER_DEPTH = 10;
/** Attempts of an addition while other processes add sources with the same IDs. */
const MAX_ADD_ATTEMPTS = 10;
const NOT_AN_ADDRESS = 'is not the address of a feed, a page or a channel';

/** Adds, changes and removes sources, for the page and the command line. Effective at once, in every process (R2). */
export class SourceEditing {
  readonly #deps: SourceEditingDependencies;

  constructor(deps: SourceEditingDependencies) {
    this.#deps = deps;
  }

  /** Finds the sources at an address; a string is the reason why there is none. */
  async discover(
    fields: SourceFields | null,
    signal: AbortSignal,
  ): Promise<readonly DiscoveredSource[] | string> {
    return fields === null ? NOT_AN_ADDRESS : discoverSources(fields, this.#deps.config, signal);
  }

  async preview(address: string, signal: AbortSignal): Promise<SourcePreview> {
    const found = await this.discover(parseSourceAddress(address), signal);
    if (typeof found === 'string') return { ok: false, error: 'invalid_address', detail: `This ${found}.` };
    const [only, ...others] = found;
    if (others.length === 0 && only?.trial.outcome === 'failed')
      return { ok: false, error: only.trial.why, detail: only.trial.detail };
    return { ok: true, candidates: found.map((each) => this.#toCandidate(each)) };
  }

  /** Finds the source at an address and adds it. */
  async add(
    address: string,
    details: SourceDetails,
    signal: AbortSignal,
  ): Promise<EditResult<{ readonly id: string }>> {
    const found = await this.discover(parseSourceAddress(address), signal);
    if (typeof found === 'string') return refused(`This ${found}.`, { code: 'invalid_address' });
    const [only, ...others] = found;
    if (only === undefined || others.length > 0)
      return refused('The page links to several feeds: preview them, and add one by its own address.', {
        code: 'several_feeds',
      });
    return this.addDiscovered(only, details);
  }

  async addDiscovered(
    found: DiscoveredSource,
    details: SourceDetails,
  ): Promise<EditResult<{ readonly id: string }>> {
    const { catalogue, by } = this.#deps;
    for (let attempt = 0; attempt < MAX_ADD_ATTEMPTS; attempt++) {
      const checked = this.checkAddition(found, details);
      if (!checked.ok) return checked;
      const { id, name } = checked;
      const record = this.#newRecord({ ...details, id, name, fields: found.fields }, by);
      if ((await catalogue.add([record])) === 1) return { ok: true, id };
    }
    return refused('Others are adding sources at the same time: try again.');
  }

  /** What adding it would give, without adding it. */
  checkAddition(
    { trial, fields, title, address }: DiscoveredSource,
    details: SourceDetails,
  ): EditResult<{ readonly id: string; readonly name: string }> {
    const known = this.#knownAs(fields);
    if (known !== null)
      return refused(`It exists already, as "${known}".`, {
        code: 'source_exists',
        parameters: { name: known },
      });
    if (details.id !== undefined && this.#deps.catalogue.isTaken(details.id))
      return refused(`The source "${details.id}" exists already: choose another ID.`);
    if (details.id !== undefined && !ID.test(details.id))
      return refused('An ID is made of letters, digits, - and _ (at most 64).');
    if (trial.outcome === 'failed' && !details.anyway)
      return { ok: false, why: 'unreachable', error: trial.why, detail: trial.detail };
    const problem = this.#objection(fields) ?? this.#pipelineProblem(details.pipelines, 'youtube' in fields);
    if (problem !== null) return refused(problem);
    const name = (details.name ?? title ?? '').slice(0, MAX_NAME_LENGTH).trim();
    const id = details.id ?? this.#uniqueId(name || address, address, new Set());
    return { ok: true, id, name };
  }

  async update(id: string, change: SourceChange): Promise<EditResult<{ readonly changed: boolean }>> {
    const { catalogue, by } = this.#deps;
    const before = catalogue.get(id);
    if (before === null) return unknownSource(id);
    const problem = this.#pipelineProblem(change.pipelines ?? [], before.settings.kind === 'youtube');
    if (problem !== null) return refused(problem);
    if (!changesSomething(before, change)) return { ok: true, changed: false };
    return (await catalogue.change(id, change, by)) === null
      ? unknownSource(id)
      : { ok: true, changed: true };
  }

  /** Removes a source with its state and its entries. One of the configuration file has to be removed there (R3). */
  async remove(id: string): Promise<EditResult> {
    const { config, catalogue, records, entries, icons } = this.#deps;
    if (!catalogue.isTaken(id)) return unknownSource(id);
    if (catalogue.get(id)?.origin === 'file')
      return refused(`"${id}" is declared in ${config.file}: remove it there, or pause it.`, {
        code: 'source_in_file',
        parameters: { name: id, file: config.file },
      });
    await catalogue.remove(id);
    // Added again, it is a first contact, so that old items do not flood out (B19).
    await records.remove(id);
    await entries?.removeSource(id);
    await icons?.remove(id);
    return { ok: true };
  }

  exportOpml(): Promise<string> {
    return writeOpmlSources(this.#deps.catalogue.all().map(({ settings }) => settings));
  }

  async importOpml(text: string, options: OpmlImportOptions): Promise<OpmlImport> {
    const { pipeline, folders = [], dryRun, onProgress } = options;
    const pipelines = pipeline === undefined ? [] : [pipeline];
    const problem = this.#pipelineProblem(pipelines, false);
    if (problem !== null) return refused(problem);
    const read = readOpmlSources(text, onProgress === undefined ? {} : { onProgress });
    if (!read.ok) return refused(`The file ${read.why}.`, { code: 'invalid_opml' });
    const added: { id: string; url: string }[] = [];
    for (let attempt = 0; attempt < MAX_ADD_ATTEMPTS; attempt++) {
      const before = added.length;
      const { records, known, unusable } = this.#recordsOf(read.feeds, folders, pipelines);
      const done = dryRun ? records.length : await this.#deps.catalogue.add(records);
      added.push(...records.slice(0, done).map(({ id, settings }) => ({ id, url: String(settings?.feed) })));
      if (done === records.length)
        return { ok: true, added, known: known - before, skipped: read.skipped + unusable };
    }
    return refused('Others are adding sources at the same time: try again.');
  }

  /** New records for those of the feeds that are not known. */
  #recordsOf(feeds: readonly OpmlSource[], folders: readonly string[], pipelines: readonly string[]) {
    const ids = new Set<string>();
    const addresses = new Set<string | null>();
    const records: NewStoredSource[] = [];
    let [known, unusable] = [0, 0];
    for (const { name, url, folders: inner } of feeds) {
      const fields = { feed: url };
      const address = normaliseFeedUrl(url);
      if (this.#objection(fields) !== null) unusable += 1;
      else if (this.#knownAs(fields) !== null || addresses.has(address)) known += 1;
      else {
        const id = this.#uniqueId(name, url, ids);
        ids.add(id);
        addresses.add(address);
        const path = [...folders, ...inner].slice(0, MAX_FOLDER_DEPTH);
        records.push(this.#newRecord({ id, fields, name, folders: path, pipelines }, 'opml'));
      }
    }
    return { records, known, unusable };
  }

  #toCandidate({ title, address, fields, trial }: DiscoveredSource): SourceCandidate {
    const known = this.#knownAs(fields);
    if (trial.outcome === 'failed')
      return { title, address, known, identity: null, trouble: trial.detail, items: [], warnings: [] };
    const items = trial.items
      .slice(0, MAX_ITEMS_SHOWN)
      .map(({ title: words, url, publishedAt }) => ({ title: words, url, publishedAt }));
    const { identity, warnings } = trial;
    return { title, address, known, identity, trouble: null, items, warnings };
  }

  #newRecord(
    source: {
      readonly id: string;
      readonly fields: SourceFields;
      readonly name: string;
      readonly folders: readonly string[];
      readonly pipelines: readonly string[];
    },
    addedBy: NewStoredSource['addedBy'],
  ): NewStoredSource {
    return {
      id: source.id,
      settings: source.fields,
      name: source.name === '' ? null : source.name,
      enabled: null,
      folders: source.folders.length === 0 ? null : source.folders,
      pipelines: source.pipelines,
      addedBy,
      addedAt: this.#deps.clock.now(),
    };
  }

  /** Why these fields cannot be a source. */
  #objection(fields: SourceFields): string | null {
    const settings = sourceSettings(fields);
    if (typeof settings === 'string') return `This ${settings}.`;
    const blocked = blockedAddress(fields.feed, this.#deps.config.network.allow);
    return blocked === null
      ? null
      : `It cannot be read: ${blocked}. To allow it, add it to \`network.allow\`.`;
  }

  #pipelineProblem(pipelines: readonly string[], isChannel: boolean): string | null {
    const { config } = this.#deps;
    for (const id of pipelines) {
      const pipeline = Object.hasOwn(config.pipelines, id) ? config.pipelines[id] : undefined;
      if (pipeline === undefined) return `There is no pipeline "${id.slice(0, 80)}".`;
      if (pipeline.kind === 'process' && !isChannel)
        return `"${id}" is a process pipeline, which uses YouTube channels only.`;
    }
    return null;
  }

  #knownAs(fields: SourceFields): string | null {
    const settings = sourceSettings(fields);
    return typeof settings === 'string' ? null : this.#deps.catalogue.sameAs(settings);
  }

  /** Derived from the name or the host. */
  #uniqueId(name: string, url: string, taken: ReadonlySet<string>): string {
    const base = slug(name) || slug(URL.parse(url)?.host ?? '') || 'feed';
    for (let n = 1; ; n++) {
      const id = n === 1 ? base : `${base}-${n}`;
      if (!taken.has(id) && !this.#deps.catalogue.isTaken(id)) return id;
    }
  }
}

function changesSomething(
  { settings, record, assignedPipelines }: CatalogueSource,
  { name, enabled, folders, pipelines }: SourceChange,
): boolean {
  const differs = (a: readonly string[], b: readonly string[]): boolean =>
    a.length !== b.length || a.some((each, n) => each !== b[n]);
  return (
    (name !== undefined && name !== settings.name) ||
    (enabled !== undefined && enabled !== settings.enabled) ||
    (folders !== undefined && differs(folders, settings.folders ?? [])) ||
    (pipelines !== undefined && differs(pipelines, record === null ? [] : assignedPipelines))
  );
}

function slug(words: string): string {
  return words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
}

function refused(
  detail: string,
  more: Omit<Refusal, 'detail'> = {},
): { readonly ok: false; readonly why: 'refused' } & Refusal {
  return { ok: false, why: 'refused', detail, ...more };
}

function unknownSource(id: string): { readonly ok: false; readonly why: 'unknown'; readonly detail: string } {
  return { ok: false, why: 'unknown', detail: `There is no source "${id.slice(0, MAX_ID_LENGTH)}".` };
}
