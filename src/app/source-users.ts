import pLimit from 'p-limit';
import type { Config } from '../config/config.ts';
import { UserError } from '../social/refusals.ts';
import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { nameBeside } from './user-name.ts';

export interface SourceUsersParts {
  readonly config: Pick<Config, 'sources'>;
  readonly social: Pick<SocialStore, 'findUser' | 'addUser'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const AT_ONCE = 8;
const AGAIN_AFTER = MINUTE;

/** Sources are users, so that people can follow them. Which user each source of the configuration is. */
export class SourceUsers {
  readonly #parts: SourceUsersParts;
  readonly #ids = new Map<string, string>();
  /** Those whose names are all taken by others: told once. */
  readonly #nameless = new Set<string>();

  constructor(parts: SourceUsersParts) {
    this.#parts = parts;
  }

  /** As far as this copy of the program knows by now. */
  known(sourceId: string): string | null {
    return this.#ids.get(sourceId) ?? null;
  }

  /** Looks, and makes nothing: a source without a user is followed by nobody. */
  async find(sourceId: string): Promise<string | null> {
    const known = this.#ids.get(sourceId);
    if (known !== undefined) return known;
    for (const name of namesOf(sourceId)) {
      const id = await this.#sourceNamed(name);
      if (id !== null) return this.#remember(sourceId, id);
    }
    return null;
  }

  /** Makes those that are missing. Where the store is away it is told, and the rest of the program starts without them. */
  async make(): Promise<boolean> {
    const missing = Object.values(this.#parts.config.sources).filter(
      ({ id }) => !this.#ids.has(id) && !this.#nameless.has(id),
    );
    const limit = pLimit(AT_ONCE);
    try {
      await Promise.all(missing.map(({ id, name }) => limit(() => this.#make(id, name ?? id))));
      return true;
    } catch (error) {
      this.#parts.log.warn('sources cannot be followed yet; it is tried again', { error });
      return false;
    }
  }

  /** Tries until every source has its user, or until the signal. */
  async keepMaking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.make())) {
      await this.#parts.clock.sleep(AGAIN_AFTER, signal).catch(() => {});
    }
  }

  async #make(sourceId: string, displayName: string): Promise<void> {
    for (const name of namesOf(sourceId)) {
      const id = (await this.#sourceNamed(name)) ?? (await this.#add(name, displayName));
      if (id !== null) {
        this.#remember(sourceId, id);
        return;
      }
    }
    this.#nameless.add(sourceId);
    const detail = `all its names are in use or refused: ${namesOf(sourceId).join(', ')}`;
    this.#parts.log.warn('a source cannot be followed', { source: sourceId, detail });
  }

  /** `null` where the name is somebody else's or cannot be one. Another copy may be making it at this very moment. */
  async #add(name: string, displayName: string): Promise<string | null> {
    try {
      return (await this.#parts.social.addUser({ name, displayName, kind: 'source' })).id;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return this.#sourceNamed(name);
    }
  }

  async #sourceNamed(name: string): Promise<string | null> {
    const found = await this.#parts.social.findUser(name);
    return found?.kind === 'source' ? found.id : null;
  }

  #remember(sourceId: string, id: string): string {
    this.#ids.set(sourceId, id);
    return id;
  }
}

function namesOf(sourceId: string): readonly [string, string] {
  return [sourceId, nameBeside('source', sourceId)];
}
