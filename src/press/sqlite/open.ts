import { Connection } from '../../sqlite/connection.ts';
import { openDatabase } from '../../sqlite/database.ts';
import type { Clock } from '../../time/clock.ts';
import type { PressMemory } from '../press-memory.ts';
import { createSqliteDayCounter } from './day-counter.ts';
import { PRESS_MIGRATIONS } from './migrations.ts';
import { SqliteRevisionStore } from './revision-store.ts';

/** Opens the memory of the press in a file. Several processes may share it. */
export function openSqlitePressMemory(path: string, clock: Clock): PressMemory {
  const database = openDatabase(path, { name: 'the memory of the press', migrations: PRESS_MIGRATIONS });
  const connection = new Connection(database, path);
  return {
    revisions: new SqliteRevisionStore(connection, clock),
    counter: createSqliteDayCounter(connection),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
