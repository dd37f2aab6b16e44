import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @import { SourceRecord, SourceStore } from 'kawaraban' */

/**
 * A store of source states: one JSON file for each source. For one machine: replicas that share a store need claims, which this one
 * grants to everybody.
 *
 * @implements {SourceStore}
 */
export class FolderSourceStore {
  #folder;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
  }

  /**
   * @param {string} sourceId
   * @returns {Promise<SourceRecord | null>}
   */
  async load(sourceId) {
    try {
      return JSON.parse(await readFile(this.#fileOf(sourceId), 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /**
   * Writes a temporary file and renames it: a reader sees the old record or the new one, never a partial one.
   *
   * @param {SourceRecord} record
   */
  async save(record) {
    await mkdir(this.#folder, { recursive: true });
    const part = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(part, JSON.stringify(record), { flush: true });
    await rename(part, this.#fileOf(record.sourceId));
  }

  /** @param {string} sourceId */
  async claim(sourceId) {
    return { record: await this.load(sourceId) };
  }

  /** @returns {Promise<readonly SourceRecord[]>} */
  async list() {
    const names = await readdir(this.#folder).catch(() => []);
    const texts = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFile(join(this.#folder, name), 'utf8')),
    );
    return texts
      .map((text) => /** @type {SourceRecord} */ (JSON.parse(text)))
      .toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
  }

  /** @param {string} sourceId */
  async remove(sourceId) {
    await rm(this.#fileOf(sourceId), { force: true });
  }

  /**
   * An ID may hold anything; a file name may not.
   *
   * @param {string} sourceId
   */
  #fileOf(sourceId) {
    return join(this.#folder, `${createHash('sha256').update(sourceId).digest('hex')}.json`);
  }
}
