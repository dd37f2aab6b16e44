import { addSources, freeId } from '../../config/add-sources.ts';
import type { Config } from '../../config/config.ts';
import { addSource, removeSource, switchSource } from '../../config/edit-sources.ts';
import { feedAddress } from '../../config/feed-address.ts';
import { readOpml, writeOpml } from '../../config/opml.ts';
import type {
  Edited,
  OpmlImport,
  SourceAddition,
  SourceEditing,
  SourcePreview,
} from '../../server/control-room.ts';
import type { SourceStore } from '../../sources/source-store.ts';
import { fieldsFor, type SourceFields, type SourceTrial, settingsFor, trySource } from '../source-trial.ts';
import { ConfigEditError, type ConfigFile } from './config-file.ts';

const MOST_SHOWN = 20;

export interface SourceEditingParts {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly store: Pick<SourceStore, 'remove'>;
}

/** Sources are changed in the configuration file, which keeps its comments and its order. */
export function sourceEditing({ config, file, store }: SourceEditingParts): SourceEditing {
  return {
    preview: (address, signal) => preview(address, config, file, signal),
    add: (ask, signal) => guarded(() => add(ask, file, signal)),
    switch: (id, on) =>
      guarded(() =>
        file.edit<Edited<{ readonly changed: boolean }>>(async ({ text, config: now }) => {
          const source = now.sources[id];
          if (source === undefined) return { text: null, value: unknown(id) };
          const changed = source.enabled !== on;
          return { text: changed ? switchSource(text, id, on) : null, value: { ok: true, changed } };
        }),
      ),
    remove: (id) =>
      guarded(async () => {
        const removed = await file.edit<Edited<{ readonly pipelines: readonly string[] }>>(
          async ({ text, config: now }) => {
            if (now.sources[id] === undefined) return { text: null, value: unknown(id) };
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
    exportOpml: () => writeOpml(Object.values(config.sources)),
    importOpml: (opml, { pipeline, dryRun }) =>
      guarded(() =>
        file.edit<OpmlImport>(async ({ text, config: now }) => {
          if (pipeline !== undefined && now.pipelines[pipeline] === undefined)
            return { text: null, value: refused(`There is no pipeline "${pipeline.slice(0, 80)}".`) };
          const read = readOpml(opml);
          if (!read.ok) return { text: null, value: refused(`The file ${read.why}.`) };
          const { text: next, added, known } = addSources(text, read.feeds, pipeline);
          const write = !dryRun && added.length > 0;
          return { text: write ? next : null, value: { ok: true, added, known, skipped: read.skipped } };
        }),
      ),
  };
}

async function preview(
  address: string,
  running: Config,
  file: ConfigFile,
  signal: AbortSignal,
): Promise<SourcePreview> {
  const fields = fieldsFor(address);
  const settings = fields === null ? 'is no address of a feed, a page or a channel' : settingsFor(fields);
  if (fields === null || typeof settings === 'string')
    return { ok: false, detail: `This ${String(settings)}.` };
  const trial = await trySource(settings, running, signal);
  if (trial.outcome === 'failed') return { ok: false, detail: trial.detail };
  const { config } = await file.read().catch(() => ({ config: running }));
  return {
    ok: true,
    kind: settings.kind,
    title: trial.title,
    feed: trial.feed,
    known: knownAs(config, found(fields, trial)),
    identity: trial.identity,
    items: trial.items
      .slice(0, MOST_SHOWN)
      .map(({ title, url, publishedAt }) => ({ title, url, publishedAt })),
    warnings: trial.warnings,
  };
}

async function add(
  ask: SourceAddition,
  file: ConfigFile,
  signal: AbortSignal,
): Promise<Edited<{ readonly id: string }>> {
  const fields = fieldsFor(ask.address);
  const settings = fields === null ? 'is no address of a feed, a page or a channel' : settingsFor(fields);
  if (fields === null || typeof settings === 'string') return refused(`This ${String(settings)}.`);
  const trial = await trySource(settings, (await file.read()).config, signal);
  if (trial.outcome === 'failed' && !ask.anyway)
    return { ok: false, why: 'unreachable', detail: trial.detail };
  return file.edit<Edited<{ readonly id: string }>>(async ({ text, config }) => {
    const meant = found(fields, trial);
    const known = knownAs(config, meant);
    if (known !== null) return { text: null, value: refused(`It is there already, as "${known}".`) };
    const missing = ask.pipelines.find((pipeline) => config.pipelines[pipeline] === undefined);
    if (missing !== undefined)
      return { text: null, value: refused(`There is no pipeline "${missing.slice(0, 80)}".`) };
    const title = trial.outcome === 'read' ? trial.title : null;
    const name = (ask.name ?? title ?? '').slice(0, 100).trim();
    const address = String(Object.values(meant)[0]);
    const id = freeId(name || address, address, new Set(Object.keys(config.sources)));
    const next = addSource(text, id, { ...meant, ...(name !== '' && { name }) }, ask.pipelines);
    const after = file.check(next);
    const left = ask.pipelines.filter((pipeline) => !after.pipelines[pipeline]?.sources.includes(id));
    if (left.length > 0)
      return {
        text: null,
        value: refused(
          `The sources of ${left.join(', ')} are no list of their own: write ${id} into it by hand.`,
        ),
      };
    return { text: next, value: { ok: true, id } };
  });
}

/** The address that a page named, or that a feed has moved to. */
function found(fields: SourceFields, trial: SourceTrial): SourceFields {
  return 'feed' in fields && trial.outcome === 'read' && trial.feed !== null ? { feed: trial.feed } : fields;
}

function knownAs(config: Config, fields: SourceFields): string | null {
  const known = Object.values(config.sources).find((source) => {
    if (source.kind === 'feed')
      return 'feed' in fields && feedAddress(source.url) === feedAddress(fields.feed);
    if (source.kind === 'youtube') return source.channel === fields.youtube;
    return source.list === fields.hackernews;
  });
  return known?.id ?? null;
}

async function guarded<T>(work: () => Promise<Edited<T>>): Promise<Edited<T>> {
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

function unknown(id: string): { readonly ok: false; readonly why: 'unknown'; readonly detail: string } {
  return { ok: false, why: 'unknown', detail: `There is no source "${id.slice(0, 80)}".` };
}
