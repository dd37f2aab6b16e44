import { beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/config.ts';
import { SqliteSourceCatalogueStore } from '../storage/sqlite/source-catalogue-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { type LogFields, silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { SourceCatalogue, SourceContentionError } from './source-catalogue.ts';
import type { NewStoredSource } from './source-catalogue-store.ts';
import { SourceEditing } from './source-editing.ts';

const record = (id: string, more: Partial<NewStoredSource> = {}): NewStoredSource => ({
  id,
  settings: { feed: `https://${id}.example/feed` },
  name: null,
  enabled: null,
  folders: null,
  pipelines: [],
  addedBy: 'page',
  addedAt: 0,
  ...more,
});

describe('the source catalogue', () => {
  const clock = new ManualClock();
  let store: SqliteSourceCatalogueStore;
  let warnings: (LogFields | undefined)[];
  beforeEach(() => {
    store = new SqliteSourceCatalogueStore(':memory:');
    warnings = [];
  });

  function open() {
    const loaded = parseConfig(
      JSON.stringify({
        sources: {
          herald: { feed: 'https://herald.example/feed', folders: ['News'] },
          talks: { youtube: '@talks' },
        },
        pipelines: { bot: { kind: 'summarise', sources: ['herald'] } },
      }),
      '/etc/kawaraban.yaml',
      {},
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const log = { ...silentLogger, warn: (_: string, fields?: LogFields) => void warnings.push(fields) };
    const { config } = loaded;
    return { config, catalogue: new SourceCatalogue({ config, store, clock, log }) };
  }
  const ids = (catalogue: SourceCatalogue): string[] => catalogue.all().map(({ settings }) => settings.id);

  it('R2 R3 merges the file with stored sources and changes; unchanged sources stay the same objects', async () => {
    const { catalogue } = open();
    expect(ids(catalogue)).toEqual(['herald', 'talks']);
    let changes = 0;
    const unsubscribe = catalogue.onChange(() => changes++);
    await store.add([record('wire', { name: 'Wire', enabled: false, pipelines: ['bot', 'removed'] })]);
    await store.put(record('herald', { settings: null, folders: ['Old', 'News'] }), null);
    await catalogue.refresh();
    expect(ids(catalogue)).toEqual(['herald', 'talks', 'wire']);
    expect(catalogue.get('herald')).toMatchObject({
      origin: 'file',
      settings: { url: 'https://herald.example/feed', folders: ['Old', 'News'] },
    });
    expect(catalogue.get('wire')).toMatchObject({
      origin: 'page',
      settings: { kind: 'feed', name: 'Wire', enabled: false },
      assignedPipelines: ['bot'],
    });
    const before = catalogue.all();
    await catalogue.refresh();
    expect(catalogue.all()).toBe(before);
    expect(changes).toBe(1);
    await catalogue.change('wire', { enabled: true }, 'command');
    expect(changes).toBe(2);
    expect(catalogue.all()[0]).toBe(before[0]);
    expect(catalogue.get('wire')?.origin).toBe('page');
    unsubscribe();
    await catalogue.remove('wire');
    expect(changes).toBe(2);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Partial<NewStoredSource>, string]>([
    ['has no settings of a source', { settings: {} }, 'does not say where to read'],
    ['has an invalid address', { settings: { feed: 'nowhere' } }, 'address of the feed'],
    ['has a secret', { settings: { youtube: '@x-channel', key: { env: 'KEY' } } }, 'a secret can only be'],
    ['has a name of another type', { name: 7 as never }, 'name'],
    ['is in folders that are none', { folders: 'Tech' as never }, 'folders'],
    [
      'reads what the file reads',
      { settings: { feed: 'https://herald.example/feed/' } },
      'same as the source `herald`',
    ],
    ['has the ID of another source of the file', { id: 'talks' }, 'declares another source with this ID'],
  ])('R2 a stored record that %s is ignored with one warning', async (_, more, words) => {
    await store.add([record('odd', more), record('wire')]);
    const { catalogue } = open();
    await catalogue.refresh();
    await catalogue.refresh();
    expect(ids(catalogue)).toEqual(['herald', 'talks', 'wire']);
    expect(catalogue.get('talks')?.settings.kind).toBe('youtube');
    expect(warnings).toMatchObject([{ detail: expect.stringContaining(words) }]);
    expect(catalogue.isTaken(more.id ?? 'odd')).toBe(true);
  });

  it('R3 changes of a source that the file no longer declares are ignored silently', async () => {
    await store.put(record('gone', { settings: null, name: 'Gone' }), null);
    const { catalogue } = open();
    await catalogue.refresh();
    expect(ids(catalogue)).toEqual(['herald', 'talks']);
    expect(warnings).toEqual([]);
  });

  it('R21 a stored source that was moved into the file is one of the file, with its later changes', async () => {
    await store.add([record('herald', { name: 'Mine' })]);
    const { catalogue } = open();
    await catalogue.refresh();
    expect(ids(catalogue)).toEqual(['herald', 'talks']);
    expect(catalogue.get('herald')).toMatchObject({
      origin: 'file',
      settings: { name: 'Mine', folders: ['News'] },
    });
  });

  it('R2 follows the changes of other processes', async () => {
    const { catalogue } = open();
    await catalogue.refresh();
    const stop = new AbortController();
    const following = catalogue.follow(silentEvents, stop.signal);
    await store.add([record('wire')]);
    await expect.poll(() => catalogue.get('wire')).not.toBeNull();
    await store.remove('wire');
    await expect.poll(() => catalogue.get('wire')).toBeNull();
    stop.abort();
    await following;
  });

  it('R2 concurrent changes of two processes are all kept', async () => {
    await store.add([record('wire')]);
    const [one, two] = [open().catalogue, open().catalogue];
    await Promise.all([one.refresh(), two.refresh()]);
    await one.change('wire', { name: 'Renamed' }, 'page');
    await two.change('wire', { enabled: false }, 'command');
    expect(two.get('wire')?.settings).toMatchObject({ name: 'Renamed', enabled: false });
    store.put = async () => false;
    await expect(one.change('wire', { name: 'Never' }, 'page')).rejects.toBeInstanceOf(SourceContentionError);
  });

  it('R2 two processes that import the same file add its feeds once, under free IDs', async () => {
    const editing = () => {
      const { config, catalogue } = open();
      return new SourceEditing({
        config,
        catalogue,
        records: { remove: async () => {} },
        by: 'command',
        clock,
      });
    };
    const opml = (names: readonly string[]) =>
      `<opml version="2.0"><body>${names
        .map((name) => `<outline text="${name}" xmlUrl="https://${name}.example/"/>`)
        .join('')}<outline text="Herald" xmlUrl="https://other.example/"/></body></opml>`;
    const [one, two] = [editing(), editing()];
    expect(await one.importOpml(opml(['a', 'b']), { dryRun: false })).toMatchObject({
      added: [{ id: 'a' }, { id: 'b' }, { id: 'herald-2' }],
    });
    expect(await two.importOpml(opml(['a', 'c']), { dryRun: false })).toMatchObject({
      added: [{ id: 'c' }],
      known: 2,
    });
    expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'herald-2']);
  });
});
