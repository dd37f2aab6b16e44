import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Message } from './discord/guild.ts';
import type { Status } from './mastodon/statuses.ts';

/** What outlives a run of the simulator: what was posted. */
export interface Keepsake {
  readonly discord: readonly Message[];
  readonly mastodon: readonly Status[];
}

const MOST = 500;

/** What an earlier run left; a missing or unreadable file is an empty beginning. */
export function readKeepsake(path: string): Keepsake {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Keepsake>;
    return { discord: value.discord ?? [], mastodon: value.mastodon ?? [] };
  } catch {
    return { discord: [], mastodon: [] };
  }
}

/** Written beside and moved into place, so that there is never half a file. */
export function writeKeepsake(path: string, { discord, mastodon }: Keepsake): void {
  const text = JSON.stringify({ discord: discord.slice(-MOST), mastodon: mastodon.slice(-MOST) });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
