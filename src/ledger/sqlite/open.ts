import type { LifecyclePolicy } from '../../item/lifecycle.ts';
import type { OutboxStore } from '../../press/outbox.ts';
import { Connection, type ConnectionOptions } from '../../sqlite/connection.ts';
import { openDatabase } from '../../sqlite/database.ts';
import type { Clock } from '../../time/clock.ts';
import { SqliteLedger } from './ledger.ts';
import { MIGRATIONS } from './migrations/all.ts';
import { SqliteOutbox } from './outbox.ts';

export interface SqliteLedgerOptions extends ConnectionOptions {
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
  /** What the file is, in words for an error. */
  readonly name?: string;
}

/** A pipeline's memory: its ledger and its outbox on one connection. Disposing of it closes the file. */
export interface SqliteMemory extends AsyncDisposable {
  readonly ledger: SqliteLedger;
  readonly outbox: OutboxStore;
  readonly connection: Connection;
}

/** Opens the file of one pipeline, makes or upgrades it where needed, and takes over one that another program made. */
export function openSqliteLedger(path: string, options: SqliteLedgerOptions): SqliteMemory {
  const db = openDatabase(path, { name: options.name ?? 'the ledger', migrations: MIGRATIONS });
  const connection = new Connection(db, path, options);
  const ledger = new SqliteLedger(connection, options.clock, options.policy);
  const outbox = new SqliteOutbox(connection, options.clock);
  return {
    ledger,
    outbox,
    connection,
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
