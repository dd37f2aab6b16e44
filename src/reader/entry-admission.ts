import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sanitiseArticle } from '../articles/sanitise.ts';
import type { Sighting } from '../item/item.ts';
import { shorten } from '../item/shorten.ts';
import { sightingProblem } from '../ledger/validation.ts';
import type { SecondOpinion } from '../same-story/second-opinion.ts';
import type { StoryEdits } from '../same-story/story-edits.ts';
import type { PollBatch } from '../sources/admission.ts';
import { SourceGoneError } from '../sources/source.ts';
import type { Clock } from '../time/clock.ts';
import type { EntryId, EntryStore, NewEntry } from './entry-store.ts';
import { EntryStories } from './entry-stories.ts';

const MAX_EXCERPT_LENGTH = 1_000;
const DEFAULT_MAX_COMPARED = 5_000;
/** Articles of all sources that this process knows to be stored as they are. */
const MAX_STORED = 100_000;

export interface EntryAdmissionOptions {
  readonly entries: Pick<EntryStore, 'add' | 'recent' | 'list' | 'newestId' | 'removeSource'>;
  /** Whether a source still exists, also according to other processes. */
  readonly sources: { exists(sourceId: string): Promise<boolean> };
  readonly clock: Clock;
  /** Whether entries about the same event are one story. Default: true. */
  readonly sameStory?: boolean;
  /** What people decided about stories. */
  readonly edits: StoryEdits;
  /** Asked about pairs of entries of which it is in doubt whether they are about the same event. */
  readonly opinion: SecondOpinion;
  /** Called after new entries were stored, with the newest number. */
  readonly onNew?: (newestId: EntryId) => Promise<void>;
  /** The newest entries that a new one is compared with, to find its story. */
  readonly maxCompared?: number;
}

/** Adds the articles of every reading to the entry store (R1), whether or not a pipeline uses the source. */
export class EntryAdmission {
  readonly #options: EntryAdmissionOptions;
  readonly #stories: EntryStories;
  /** Fingerprints of what was stored, the oldest first: most readings show the same articles again. */
  readonly #stored = new Set<string>();
  readonly #knownSources = new Set<string>();
  /** One reading at a time, so that two sources with the same story find each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EntryAdmissionOptions) {
    this.#options = options;
    const { entries, edits, opinion, maxCompared = DEFAULT_MAX_COMPARED } = options;
    this.#stories = new EntryStories({ entries, maxCompared, edits, opinion });
  }

  /** Whether nothing of this source was ever stored, so that the full list is needed. */
  async isNewSource(sourceId: string): Promise<boolean> {
    if (this.#knownSources.has(sourceId)) return false;
    const { entries } = await this.#options.entries.list(
      '',
      { sourceIds: [sourceId] },
      { order: 'newest', limit: 1 },
    );
    if (entries.length > 0) this.#knownSources.add(sourceId);
    return entries.length === 0;
  }

  /** Resolves when everything is stored. */
  add(batch: PollBatch): Promise<void> {
    const added = this.#last.then(() => this.#add(batch));
    this.#last = added.catch(() => {});
    return added;
  }

  async #add({ source, sightings, isFirst }: PollBatch): Promise<void> {
    const { entries, sources, clock, sameStory = true, onNew } = this.#options;
    const changed = sightings
      .filter((sighting) => sightingProblem(sighting) === null)
      .map((sighting) => ({ sighting, print: fingerprint(sighting) }))
      .filter(({ print }) => isFirst || !this.#stored.has(print));
    if (changed.length > 0) {
      const given: NewEntry[] = [];
      for (const { sighting } of changed) {
        given.push(toNewEntry(sighting));
        // Sanitising a long article takes milliseconds.
        if (sighting.content !== undefined) await nextTurn();
      }
      const now = clock.now();
      try {
        const stories = await this.#stories.find(sameStory ? given : [], now);
        const explained = given.map((entry) => {
          const reason = stories.get(entry.key)?.reason ?? null;
          return reason === null ? entry : { ...entry, storyReason: reason };
        });
        const added = await entries.add(explained, now, ({ key }) => stories.get(key)?.id ?? null);
        const isNew = added.some(({ outcome }) => outcome === 'new' || outcome === 'carried');
        // Asked afterwards: who removes the source later also removes these entries.
        if (isNew && !(await sources.exists(source.id))) {
          await entries.removeSource(source.id);
          throw new SourceGoneError();
        }
        this.#stories.record(added.map(({ entry }) => entry));
        for (const { print } of changed) this.#remember(print);
        if (isNew) await onNew?.(await entries.newestId());
      } catch (error) {
        this.#stories.reset();
        throw error;
      }
    }
    this.#knownSources.add(source.id);
  }

  #remember(print: string): void {
    this.#stored.delete(print);
    this.#stored.add(print);
    for (const oldest of this.#stored) {
      if (this.#stored.size <= MAX_STORED) break;
      this.#stored.delete(oldest);
    }
  }
}

function toNewEntry(sighting: Sighting): NewEntry {
  const { key, url, title, publishedAt, sourceId, sourceName, excerpt, content } = sighting;
  return {
    key,
    url,
    title,
    publishedAt,
    sourceId,
    sourceName,
    author: sighting.author ?? null,
    excerpt: excerpt === undefined || excerpt === '' ? null : shorten(excerpt, MAX_EXCERPT_LENGTH),
    imageUrl: sighting.imageUrl ?? null,
    language: sighting.language ?? null,
    points: sighting.points ?? null,
    enclosures: sighting.enclosures ?? (sighting.enclosure === undefined ? [] : [sighting.enclosure]),
    content: (content === undefined ? '' : sanitiseArticle(content, { baseUrl: url })) || null,
  };
}

/** Of everything that is stored. 96 bits. */
function fingerprint({
  video: _video,
  foreignId: _foreignId,
  publishedAt: _publishedAt,
  ...facts
}: Sighting): string {
  return hash('sha256', JSON.stringify(facts), 'base64url').slice(0, 16);
}
