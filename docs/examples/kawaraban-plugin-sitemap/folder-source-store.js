import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClaimedSource, SourceRecord, SourceStore } from '../../src/sources/source.ts';

/**
 * A store of source states: one JSON file for each source. It is the smallest of the stores; the others (ledger, outbox,
 * stories, timelines) are added in the same way: write the port's methods, then run its contract until it is green.
 */
export class FolderSourceStore implements SourceStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(sourceId: string): Promise<SourceRecord | null> {
    try {
      return JSON.parse(await readFile(this.#fileOf(sourceId), 'utf8')) as SourceRecord;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Writes a temporary file and renames it: a reader sees the old record or the new one, never a partial one. */
  async save(record: SourceRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const part = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(part, JSON.stringify(record), { flush: true });
    await rename(part, this.#fileOf(record.sourceId));
  }

  /** For one machine: every claim is granted. */
  async claim(sourceId: string): Promise<ClaimedSource> {
    return { record: await this.load(sourceId) };
  }

  async list(): Promise<readonly SourceRecord[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const texts = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFile(join(this.#folder, name), 'utf8')),
    );
    return texts
      .map((text) => JSON.parse(text) as SourceRecord)
      .toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
  }

  async remove(sourceId: string): Promise<void> {
    await rm(this.#fileOf(sourceId), { force: true });
  }

  /** An ID may hold anything; a file name may not. */
  #fileOf(sourceId: string): string {
    return join(this.#folder, `${createHash('sha256').update(sourceId).digest('hex')}.json`);
  }
}
