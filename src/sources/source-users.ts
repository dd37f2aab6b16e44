import pLimit from 'p-limit';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { UserError } from '../social/rules.ts';
import type { SocialStore, User } from '../social/social-store.ts';
import { qualifiedName } from '../social/user-accounts.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import type { SourceCatalogue } from './source-catalogue.ts';

export interface SourceUsersDependencies {
  readonly catalogue: Pick<SourceCatalogue, 'all' | 'get' | 'onChange'>;
  readonly social: Pick<SocialStore, 'findUser' | 'addUser' | 'renameUser'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const CONCURRENCY = 8;
const RETRY_AFTER_MS = MINUTE;

/** Maps each source to its user: sources are users, so that people can follow them. */
export class SourceUsers {
  readonly #deps: SourceUsersDependencies;
  readonly #ids = new Map<string, string>();
  /** Display names of these users, as far as this replica knows. */
  readonly #displayNames = new Map<string, string>();
  /** Sources whose names are all taken by other users: logged once. */
  readonly #nameless = new Set<string>();

  constructor(deps: SourceUsersDependencies) {
    this.#deps = deps;
  }

  /** As far as this replica knows. */
  cached(sourceId: string): string | null {
    return this.#ids.get(sourceId) ?? null;
  }

  /** Finds the user without creating it: a source without a user has no followers. */
  async find(sourceId: string): Promise<string | null> {
    const known = this.#ids.get(sourceId);
    if (known !== undefined) return known;
    for (const name of candidateNames(sourceId)) {
      const user = await this.#findByName(name);
      if (user !== null) return this.#cache(sourceId, user);
    }
    return null;
  }

  /**
   * Creates missing users, and renames those of renamed sources. If the store is unavailable this is logged, and the rest of the
   * program starts without them.
   */
  async createMissing(): Promise<boolean> {
    const all = this.#deps.catalogue.all().map(({ settings }) => settings);
    const limit = pLimit(CONCURRENCY);
    try {
      await Promise.all(
        all
          .filter(({ id }) => !this.#nameless.has(id))
          .map(({ id, name = id }) => limit(() => this.#complete(id, name))),
      );
      return true;
    } catch (error) {
      this.#deps.log.warn('failed to create or rename the users of sources, retrying', { error });
      return false;
    }
  }

  /** The user of a source, created if it is missing; `null` if there is no such source, or if its names are all in use. */
  async findOrCreate(sourceId: string): Promise<string | null> {
    const source = this.#deps.catalogue.get(sourceId);
    if (source === null) return null;
    if (!this.#ids.has(sourceId)) await this.#create(sourceId, source.settings.name ?? sourceId);
    return this.cached(sourceId);
  }

  /** Creates the users of sources that are added and renames those of renamed ones, until the signal; retries while the store is unavailable. */
  async keepComplete(signal: AbortSignal): Promise<void> {
    const { catalogue, clock } = this.#deps;
    const changed = new WakeUpSignal(clock);
    const unsubscribe = catalogue.onChange(() => changed.wake());
    try {
      while (!signal.aborted) await changed.wait((await this.createMissing()) ? DAY : RETRY_AFTER_MS, signal);
    } finally {
      unsubscribe();
    }
  }

  async #complete(sourceId: string, displayName: string): Promise<void> {
    if (!this.#ids.has(sourceId)) await this.#create(sourceId, displayName);
    const userId = this.cached(sourceId);
    if (userId === null || this.#displayNames.get(sourceId) === displayName) return;
    await this.#deps.social.renameUser(userId, displayName);
    // Also where the service cannot: it is not asked again.
    this.#displayNames.set(sourceId, displayName);
  }

  async #create(sourceId: string, displayName: string): Promise<void> {
    for (const name of candidateNames(sourceId)) {
      const user = (await this.#findByName(name)) ?? (await this.#add(name, displayName));
      if (user !== null) {
        this.#cache(sourceId, user);
        return;
      }
    }
    this.#nameless.add(sourceId);
    const detail = `all its names are in use or refused: ${candidateNames(sourceId).join(', ')}`;
    this.#deps.log.warn('failed to create the user of a source', { source: sourceId, detail });
  }

  /** `null` if the name is taken or invalid. Another replica may be creating the same user concurrently. */
  async #add(name: string, displayName: string): Promise<User | null> {
    try {
      return await this.#deps.social.addUser({ name, displayName, kind: 'source' });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return this.#findByName(name);
    }
  }

  async #findByName(name: string): Promise<User | null> {
    const found = await this.#deps.social.findUser(name);
    return found?.kind === 'source' ? found : null;
  }

  #cache(sourceId: string, { id, displayName }: User): string {
    this.#ids.set(sourceId, id);
    this.#displayNames.set(sourceId, displayName);
    return id;
  }
}

function candidateNames(sourceId: string): readonly [string, string] {
  return [sourceId, qualifiedName('source', sourceId)];
}
