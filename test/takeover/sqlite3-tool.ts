import { execFileSync } from 'node:child_process';

/** Rows that SQLite's own command-line tool reads from a file; independent of the project's code. */
export function sqlite3(file: string, sql: string): Record<string, unknown>[] {
  const text = execFileSync('sqlite3', ['-json', file, sql], { encoding: 'utf8' });
  return text.trim() === '' ? [] : (JSON.parse(text) as Record<string, unknown>[]);
}
