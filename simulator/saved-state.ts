import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Message } from './discord/guild.ts';
import type { Status } from './mastodon/statuses.ts';

/** State that survives a run of the simulator: what was posted. */
export interface Keepsake {
  readonly discord: readonly Message[];
  readonly mastodon: readonly Status[];
}

const MAX_SAVED = 500;

/** The state of an earlier run; a missing or unreadable file counts as empty. */
export function readKeepsake(path: string): Keepsake {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Keepsake>;
    return { discord: value.discord ?? [], mastodon: value.mastodon ?? [] };
  } catch {
    return { discord: [], mastodon: [] };
  }
}

/** Written to a temporary file and renamed, so that there is never a partial file. */
export function writeKeepsake(path: string, { discord, mastodon }: Keepsake): void {
  const text = JSON.stringify({ discord: discord.slice(-MAX_SAVED), mastodon: mastodon.slice(-MAX_SAVED) });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
