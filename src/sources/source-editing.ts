import type { Config } from '../config/config.ts';
import { ConfigEditError, type ConfigEditor } from '../config/config-editor.ts';
import {
  addSource,
  addSources,
  normaliseFeedUrl,
  readOpmlSources,
  removeSource,
  switchSource,
  uniqueSourceId,
  writeOpmlSources,
} from '../config/edit-sources.ts';

import {
  type DiscoveredSource,
  discoverSources,
  parseSourceAddress,
  type SourceFields,
} from './discovery.ts';
import type { SourceStore } from './source.ts';

/** Changes of the configuration file, applied at the next start. */
export interface SourceEditing {
  preview(address: string, signal: AbortSignal): Promise<SourcePreview>;
  add(ask: SourceAddition, signal: AbortSignal): Promise<EditResult<{ readonly id: string }>>;
  setEnabled(id: string, on: boolean): Promise<EditResult<{ readonly changed: boolean }>>;
  remove(id: string): Promise<EditResult<{ readonly pipelines: readonly string[] }>>;
  exportOpml(): Promise<string>;
  importOpml(
    text: string,
    options: { readonly pipeline?: string; readonly dryRun: boolean },
  ): Promise<OpmlImport>;
}

export type OpmlImport = EditResult<{
  readonly added: readonly { readonly id: string; readonly url: string }[];
  readonly known: number;
  readonly skipped: number;
}>;

export type EditResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly why: 'unknown' | 'refused' | 'unreachable'; readonly detail: string };

export interface SourceAddition {
  readonly address: string;
  readonly name?: string;
  readonly pipelines: readonly string[];
  /** Even if it cannot be read now. */
  readonly anyway: boolean;
}

/** What an address may refer to: usually one source, several where a page links to several feeds. */
export type SourcePreview =
  | { readonly ok: true; readonly candidates: readonly SourceCandidate[] }
  | { readonly ok: false; readonly detail: string };

export interface SourceCandidate {
  /** The address to add it by. */
  readonly address: string;
  readonly title: string | null;
  /** ID of a configured source that is the same. */
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

const MAX_ITEMS_SHOWN = 20;
const NOT_AN_ADDRESS = 'is no address of a feed, a page or a channel';

export interface SourceEditingDependencies {
  readonly config: Config;
  readonly file: ConfigEditor;
  readonly store: Pick<SourceStore, 'remove'>;
}

/** Sources are changed in the configuration file, which keeps its comments and its order. */
export function createSourceEditing({ config, file, store }: SourceEditingDependencies): SourceEditing {
  return {
    preview: (address, signal) => previewSource(address, config, file, signal),
    add: (ask, signal) => refuseEditErrors(() => addDiscoveredSource(ask, file, signal)),
    setEnabled: (id, on) =>
      refuseEditErrors(() =>
        file.edit<EditResult<{ readonly changed: boolean }>>(async ({ text, config: now }) => {
          const source = now.sources[id];
          if (source === undefined) return { text: null, value: unknownSourceId(id) };
          const changed = source.enabled !== on;
          return { text: changed ? switchSource(text, id, on) : null, value: { ok: true, changed } };
        }),
      ),
    remove: (id) =>
      refuseEditErrors(async () => {
        const removed = await file.edit<EditResult<{ readonly pipelines: readonly string[] }>>(
          async ({ text, config: now }) => {
            if (now.sources[id] === undefined) return { text: null, value: unknownSourceId(id) };
            const followers = Object.values(now.pipelines).filter(({ sources }) => sources.includes(id));
            const alone = followers.filter(({ sources }) => sources.every((each) => each === id));
            if (alone.length > 0)
              return {
                text: null,
                value: refused(
                  `${alone.map((pipeline) => pipeline.id).join(', ')} would be left without a source: give it another one first, or switch this one off.`,
                ),
              };
            return {
              text: removeSource(text, id),
              value: { ok: true, pipelines: followers.map((pipeline) => pipeline.id) },
            };
          },
        );
        if (removed.ok) await store.remove(id);
        return removed;
      }),
    exportOpml: () => writeOpmlSources(Object.values(config.sources)),
    importOpml: (opml, { pipeline, dryRun }) =>
      refuseEditErrors(() =>
        file.edit<OpmlImport>(async ({ text, config: now }) => {
          if (pipeline !== undefined && now.pipelines[pipeline] === undefined)
            return { text: null, value: refused(`There is no pipeline "${pipeline.slice(0, 80)}".`) };
          const read = readOpmlSources(opml);
          if (!read.ok) return { text: null, value: refused(`The file ${read.why}.`) };
          const { text: next, added, known } = addSources(text, read.feeds, pipeline);
          const write = !dryRun && added.length > 0;
          return { text: write ? next : null, value: { ok: true, added, known, skipped: read.skipped } };
        }),
      ),
  };
}

async function previewSource(
  address: string,
  running: Config,
  file: ConfigEditor,
  signal: AbortSignal,
): Promise<SourcePreview> {
  const fields = parseSourceAddress(address);
  const found = fields === null ? NOT_AN_ADDRESS : await discoverSources(fields, running, signal);
  if (typeof found === 'string') return { ok: false, detail: `This ${found}.` };
  const [only, ...others] = found;
  if (others.length === 0 && only?.trial.outcome === 'failed')
    return { ok: false, detail: only.trial.detail };
  const { config } = await file.read().catch(() => ({ config: running }));
  return { ok: true, candidates: found.map((each) => toSourceCandidate(each, config)) };
}

function toSourceCandidate(
  { title, address, fields, trial }: DiscoveredSource,
  config: Config,
): SourceCandidate {
  const known = existingSourceId(config, fields);
  if (trial.outcome === 'failed')
    return { title, address, known, identity: null, trouble: trial.detail, items: [], warnings: [] };
  const items = trial.items
    .slice(0, MAX_ITEMS_SHOWN)
    .map(({ title: words, url, publishedAt }) => ({ title: words, url, publishedAt }));
  return { title, address, known, identity: trial.identity, trouble: null, items, warnings: trial.warnings };
}

async function addDiscoveredSource(
  ask: SourceAddition,
  file: ConfigEditor,
  signal: AbortSignal,
): Promise<EditResult<{ readonly id: string }>> {
  const parsed = parseSourceAddress(ask.address);
  const found =
    parsed === null ? NOT_AN_ADDRESS : await discoverSources(parsed, (await file.read()).config, signal);
  if (typeof found === 'string') return refused(`This ${found}.`);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    return refused('The page names several feeds: look at them first, and add one by its own address.');
  const { trial, fields, title } = only;
  if (trial.outcome === 'failed' && !ask.anyway)
    return { ok: false, why: 'unreachable', detail: trial.detail };
  return file.edit<EditResult<{ readonly id: string }>>(async ({ text, config }) => {
    const known = existingSourceId(config, fields);
    if (known !== null) return { text: null, value: refused(`It exists already, as "${known}".`) };
    const missing = ask.pipelines.find((pipeline) => config.pipelines[pipeline] === undefined);
    if (missing !== undefined)
      return { text: null, value: refused(`There is no pipeline "${missing.slice(0, 80)}".`) };
    const name = (ask.name ?? title ?? '').slice(0, 100).trim();
    const id = uniqueSourceId(name || only.address, only.address, new Set(Object.keys(config.sources)));
    const next = addSource(text, id, { ...fields, ...(name !== '' && { name }) }, ask.pipelines);
    const after = file.check(next);
    const left = ask.pipelines.filter((pipeline) => !after.pipelines[pipeline]?.sources.includes(id));
    if (left.length > 0)
      return {
        text: null,
        value: refused(
          `The sources of ${left.join(', ')} are an alias of another list: add ${id} to it manually.`,
        ),
      };
    return { text: next, value: { ok: true, id } };
  });
}

function existingSourceId(config: Config, fields: SourceFields): string | null {
  const known = Object.values(config.sources).find((source) => {
    if (source.kind === 'feed')
      return 'feed' in fields && normaliseFeedUrl(source.url) === normaliseFeedUrl(fields.feed);
    if (source.kind === 'youtube') return source.channel === fields.youtube;
    return source.list === fields.hackernews;
  });
  return known?.id ?? null;
}

async function refuseEditErrors<T>(work: () => Promise<EditResult<T>>): Promise<EditResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigEditError) return refused(error.message);
    throw error;
  }
}

function refused(detail: string): { readonly ok: false; readonly why: 'refused'; readonly detail: string } {
  return { ok: false, why: 'refused', detail };
}

function unknownSourceId(id: string): {
  readonly ok: false;
  readonly why: 'unknown';
  readonly detail: string;
} {
  return { ok: false, why: 'unknown', detail: `There is no source "${id.slice(0, 80)}".` };
}
