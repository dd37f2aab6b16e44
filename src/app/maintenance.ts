import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createFetcher, fetcherSettings } from '../fetch/create-fetcher.ts';
import { pluginSourceStore } from '../plugins/plugin-source-store.ts';
import type { SourceStore } from '../sources/source.ts';
import { SourceCatalogue } from '../sources/source-catalogue.ts';
import { SourceEditing } from '../sources/source-editing.ts';
import { FolderLock } from '../storage/sqlite/folder-lock.ts';
import { SqliteEntryStore } from '../storage/sqlite/reader/entry-store.ts';
import { assertNoInterruptedRestore } from '../storage/sqlite/restore.ts';
import { SqliteSourceCatalogueStore } from '../storage/sqlite/source-catalogue-store.ts';
import { SqliteSourceIconStore } from '../storage/sqlite/source-icon-store.ts';
import { SqliteSourceStore } from '../storage/sqlite/source-store.ts';
import { upgradeDataFolder } from '../storage/sqlite/upgrade.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';

/** Locks the data folder of the embedded engine; the distributed engine needs no lock. */
export function lockDataFolder(
  config: Pick<Config, 'engine' | 'data'>,
  doing: string,
): AsyncDisposable | null {
  if (config.engine.kind !== 'embedded') return null;
  assertNoInterruptedRestore(config.data);
  return FolderLock.acquire(config.data, doing);
}

/** The sources without the rest of the program. */
export interface OpenedSources extends AsyncDisposable {
  readonly catalogue: SourceCatalogue;
  readonly editing: SourceEditing;
}

/** Opens the sources for a command; a newsroom that runs beside it follows the changes. */
export async function openSources(config: Config, version: string): Promise<OpenedSources> {
  const { data } = config;
  await upgradeDataFolder({ data, program: version, now: systemClock.now(), log: silentLogger });
  const stack = new AsyncDisposableStack();
  try {
    const { store, entries, icons, ...opened } =
      config.engine.kind === 'distributed'
        ? await openFirestoreSources(config.engine, stack)
        : openSqliteSources(config, stack);
    const records =
      config.polling.store === undefined ? opened.records : await openPluginRecords(config, stack);
    const catalogue = new SourceCatalogue({ config, store, clock: systemClock, log: silentLogger });
    await catalogue.refresh();
    const editing = new SourceEditing({
      config,
      catalogue,
      records,
      entries,
      icons,
      by: 'command',
      clock: systemClock,
    });
    return { catalogue, editing, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function openPluginRecords(config: Config, stack: AsyncDisposableStack): Promise<SourceStore> {
  const host = { config, clock: systemClock, log: silentLogger };
  const fetcher = stack.use(createFetcher({ ...host, ...fetcherSettings(config) }));
  return stack.use(await pluginSourceStore({ ...host, fetcher }));
}

function openSqliteSources({ data }: Config, stack: AsyncDisposableStack) {
  const file = join(data, 'sources.db');
  return {
    records: stack.use(new SqliteSourceStore(file)),
    store: stack.use(new SqliteSourceCatalogueStore(file)),
    icons: stack.use(new SqliteSourceIconStore(file)),
    entries: stack.use(new SqliteEntryStore(join(data, 'reader.db'))),
  };
}

async function openFirestoreSources(
  engine: Extract<Config['engine'], { kind: 'distributed' }>,
  stack: AsyncDisposableStack,
) {
  const [
    { connectFirestore },
    { FirestoreSourceStore },
    { FirestoreSourceCatalogueStore },
    { FirestoreSourceIconStore },
    { FirestoreEntryStore },
  ] = await Promise.all([
    import('./firestore.ts'),
    import('../storage/firestore/source-store.ts'),
    import('../storage/firestore/source-catalogue-store.ts'),
    import('../storage/firestore/source-icon-store.ts'),
    import('../storage/firestore/reader/entry-store.ts'),
  ]);
  const connection = stack.use(connectFirestore(engine, systemClock, silentEvents));
  return {
    records: new FirestoreSourceStore(connection),
    store: new FirestoreSourceCatalogueStore(connection),
    icons: new FirestoreSourceIconStore(connection),
    entries: new FirestoreEntryStore({ connection, clock: systemClock }),
  };
}

/** Export and import of a pipeline's ledger as JSON lines, for the command line. */
export { exportLedger, importLedger } from '../ledger/transfer.ts';
