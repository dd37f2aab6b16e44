import { ACCOUNT_MIGRATIONS } from '../auth/sqlite/migrations.ts';
import { JUDGE_MIGRATIONS } from '../judge/sqlite/migrations.ts';
import { MIGRATIONS } from '../ledger/sqlite/migrations/all.ts';
import { COUNTS_MIGRATIONS } from '../pipelines/sqlite/counts-log.ts';
import { RUN_MIGRATIONS } from '../pipelines/sqlite/migrations.ts';
import { PRESS_MIGRATIONS } from '../press/sqlite/migrations.ts';
import { SOCIAL_MIGRATIONS } from '../social/sqlite/migrations.ts';
import { SOURCE_MIGRATIONS } from '../sources/sqlite/migrations.ts';
import { LOCK_FILE } from '../sqlite/folder-lock.ts';
import { STORY_MIGRATIONS } from '../stories/sqlite/migrations.ts';
import { RECEIVED_MIGRATIONS } from '../timeline/sqlite/sqlite-received-drops.ts';

interface DataFile {
  readonly name: RegExp;
  /** The newest schema that this program knows. */
  readonly schema: number;
}

/**
 * The databases of the data folder, in the order in which a backup copies them while the newsroom runs. What is copied
 * earlier is older, and each of them stands an older one before it:
 *
 * - The sources come before the ledgers. Their markers say how far a feed was read; an older marker has the feed read again,
 *   and the ledger knows what it has seen. A newer one would skip what the ledger never got.
 * - The stories come before the ledgers. They note up to which change a pipeline's scores were taken up; an older note has them
 *   taken up again.
 * - A ledger holds its items and its messages in one file, so they are of one moment.
 * - The drops come after the ledgers. A message that the ledger has not yet marked as sent is posted again under its key, and
 *   the drop is there already. The other way round a message would count as sent and its drop be missing.
 * - The people come after their accounts. A person without an account is asked in again; an account without its person
 *   could not be used by anybody.
 */
const FILES: readonly DataFile[] = [
  { name: /^runs\.db$/, schema: RUN_MIGRATIONS.length },
  { name: /^sources\.db$/, schema: SOURCE_MIGRATIONS.length },
  { name: /^stories\.db$/, schema: STORY_MIGRATIONS.length },
  { name: /^pipeline-[A-Za-z0-9_-]+\.db$/, schema: MIGRATIONS.length },
  { name: /^judges\.db$/, schema: JUDGE_MIGRATIONS.length },
  { name: /^stories\.db$/, schema: STORY_MIGRATIONS.length },
  { name: /^press\.db$/, schema: PRESS_MIGRATIONS.length },
  { name: /^counts\.db$/, schema: COUNTS_MIGRATIONS.length },
  { name: /^accounts\.db$/, schema: ACCOUNT_MIGRATIONS.length },
  { name: /^social\.db$/, schema: SOCIAL_MIGRATIONS.length },
  { name: /^received\.db$/, schema: RECEIVED_MIGRATIONS.length },
];

/** What is no one's memory: the lock, and what SQLite keeps beside a database while it is open. */
const PASSED_OVER = [LOCK_FILE, '.restoring'];

/** The newest schema that this program knows of a file; `null` where it does not know the file. */
export function knownSchema(name: string): number | null {
  return FILES.find((file) => file.name.test(name))?.schema ?? null;
}

/** Sorted as a backup copies them; databases that this program does not know come last. */
export function databasesIn(names: readonly string[]): readonly string[] {
  const rank = (name: string): number => {
    const found = FILES.findIndex((file) => file.name.test(name));
    return found === -1 ? FILES.length : found;
  };
  return names
    .filter((name) => name.endsWith('.db') && !PASSED_OVER.includes(name))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The plain files that belong to the memory, such as a key that was made: neither databases nor what is beside them. */
export function plainFilesIn(names: readonly string[]): readonly string[] {
  return names.filter(
    (name) =>
      /\.(key|pem|json)$/.test(name) &&
      !name.startsWith('.') &&
      name !== MANIFEST &&
      !PASSED_OVER.includes(name),
  );
}

/** What a backup says about itself. */
export const MANIFEST = 'manifest.json';
