import { createHash, randomUUID } from 'node:crypto';
import { canonicalUrl } from '../item/identity.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { ReactionKind } from '../item/learned.ts';
import { shorten } from '../item/shorten.ts';
import type { Examples } from '../judge/judge.ts';
import { type EntryId, type EntryStore, UNDO_WITHIN_MS } from '../reader/entry-store.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR } from '../time/duration.ts';
import {
  MAX_REACTED_TEXT,
  MAX_REACTIONS,
  type ReactedFacts,
  type Reaction,
  type ReactionChange,
  type ReactionRecord,
  type ReactionStore,
} from './reaction-store.ts';
import {
  type Background,
  backgroundOf,
  MAX_REACTION_AGE_MS,
  NO_BACKGROUND,
  type PersonsReaction,
  RaisedArticles,
  REACTION_VALUES,
  type SourceNames,
  Taste,
} from './taste.ts';

export interface LearningDependencies {
  readonly store: ReactionStore;
  readonly entries: Pick<EntryStore, 'get' | 'recent' | 'findByKeys'>;
  readonly sourceNames: SourceNames;
  readonly clock: Clock;
  /** False: the newsroom learns nothing. */
  readonly enabled: boolean;
  /** Articles that are read to know which words are common; each may be billed. */
  readonly maxBackground?: number;
}

/** An article that a person reacts to. */
export interface ReactedArticle extends ReactedFacts {
  readonly key: ItemKey;
  readonly url: string;
}

/** A story of a ranked list. */
export interface HiddenStory {
  readonly url: string;
  readonly title: string;
  readonly by: string;
}

/** What the people of a pipeline reacted to, for one run. */
export interface PipelineTaste {
  readonly taste: Taste;
  readonly raised: RaisedArticles;
  /** For judges that are models; `null` if there is none yet. */
  readonly examples: Examples | null;
}

/** What a person sees of what was learned. */
export interface PersonsLearning {
  /** Of the newsroom. */
  readonly available: boolean;
  readonly enabled: boolean;
  /** Newest first. */
  readonly reactions: readonly Reaction[];
}

/** Undo tokens of reactions that change no state of an entry begin with this. */
const TOKEN_PREFIX = 'reaction-';
const MAX_CHANGES = 50;
const BACKGROUND_WITHIN_MS = 14 * DAY;
const BACKGROUND_TTL_MS = 6 * HOUR;
const DEFAULT_MAX_BACKGROUND = 800;
const TASTE_TTL_MS = HOUR;
const MAX_CACHED_TASTES = 100;
/** Of one action: signing in hides everything at once that the guest had hidden. */
const MAX_PER_CALL = 20;
/** Titles of each kind that a model gets. */
const MAX_EXAMPLES = 8;

interface CachedTaste {
  readonly reactions: readonly Reaction[];
  readonly taste: Taste;
  readonly madeAt: number;
}

/**
 * Learns from what people do (Q20): records reactions, and computes from them what a person, or the people of a pipeline, want
 * more and less of. A reaction that is removed has no effect any more (Q22).
 */
export class Learning {
  readonly #deps: LearningDependencies;
  readonly #tastes = new Map<string, CachedTaste>();
  #background: { readonly background: Background; readonly madeAt: number } | null = null;

  constructor(deps: LearningDependencies) {
    this.#deps = deps;
  }

  get isAvailable(): boolean {
    return this.#deps.enabled;
  }

  /** Records a reaction to entries. Returns the token that takes it back; `null` if nothing changed. */
  async react(
    person: string,
    kind: ReactionKind,
    ids: readonly EntryId[],
    token = `${TOKEN_PREFIX}${randomUUID()}`,
  ): Promise<string | null> {
    const { entries } = this.#deps;
    const found = await Promise.all(ids.slice(0, MAX_PER_CALL).map((id) => entries.get(id)));
    return this.reactTo(
      person,
      kind,
      found.filter((entry) => entry !== null),
      token,
    );
  }

  async reactTo(
    person: string,
    kind: ReactionKind,
    articles: readonly ReactedArticle[],
    token = `${TOKEN_PREFIX}${randomUUID()}`,
  ): Promise<string | null> {
    if (!this.#deps.enabled || articles.length === 0) return null;
    const now = this.#deps.clock.now();
    const added = articles.slice(0, MAX_PER_CALL).map((article) => toReaction(kind, article, now));
    return this.#change(person, token, (record) => {
      if (!record.enabled) return null;
      const known = new Set(record.reactions.map(({ id }) => id));
      const fresh = added.filter(({ id }) => !known.has(id));
      const opposed = new Set(fresh.flatMap(({ key }) => opposites(kind).map((other) => idOf(other, key))));
      return { added: fresh, removed: opposed };
    });
  }

  /** Removes reactions of a kind to entries: the star or the hiding was taken back. */
  async takeBack(person: string, kind: ReactionKind, ids: readonly EntryId[], token?: string): Promise<void> {
    const { entries } = this.#deps;
    const found = await Promise.all(ids.slice(0, MAX_REACTIONS).map((id) => entries.get(id)));
    await this.takeBackFrom(
      person,
      kind,
      found.flatMap((entry) => entry?.key ?? []),
      token,
    );
  }

  async takeBackFrom(
    person: string,
    kind: ReactionKind,
    keys: readonly ItemKey[],
    token = `${TOKEN_PREFIX}${randomUUID()}`,
  ): Promise<void> {
    if (keys.length === 0) return;
    const removed = new Set(keys.map((key) => idOf(kind, key)));
    await this.#change(person, token, () => ({ added: [], removed }));
  }

  /** Stories of ranked lists that a person hid. */
  async hid(person: string, stories: readonly HiddenStory[]): Promise<void> {
    if (this.#deps.enabled) await this.reactTo(person, 'hide', await this.#articlesOf(stories));
  }

  async unhid(person: string, stories: readonly HiddenStory[]): Promise<void> {
    const articles = await this.#articlesOf(stories);
    await this.takeBackFrom(
      person,
      'hide',
      articles.map(({ key }) => key),
    );
  }

  /** A story has the sources of the entry with its address, if there is one. */
  async #articlesOf(stories: readonly HiddenStory[]): Promise<readonly ReactedArticle[]> {
    const articles = stories.flatMap(({ url, title, by }) => {
      const identified = url === '' ? null : canonicalUrl(url);
      if (identified?.outcome !== 'canonical') return [];
      return [{ key: identified.url as ItemKey, url, title, author: by, excerpt: null, sourceIds: [] }];
    });
    const known = await this.#deps.entries.findByKeys(articles.map(({ key }) => key));
    return articles.map((article) => known.get(article.key) ?? article);
  }

  isToken(token: string): boolean {
    return token.startsWith(TOKEN_PREFIX);
  }

  /** False if the token is unknown or too old. */
  async undo(person: string, token: string): Promise<boolean> {
    const { store, clock } = this.#deps;
    let done = false;
    await store.update(person, clock.now(), (record) => {
      const change = record.changes.find((one) => one.token === token && this.#canBeUndone(one));
      done = change !== undefined;
      if (change === undefined) return record;
      const added = new Set(change.added);
      return {
        ...record,
        reactions: kept(
          [...record.reactions.filter(({ id }) => !added.has(id)), ...change.removed],
          clock.now(),
        ),
        changes: record.changes.filter((one) => one !== change),
      };
    });
    return done;
  }

  async of(person: string): Promise<PersonsLearning> {
    const { enabled, reactions } = await this.#deps.store.of(person);
    return { available: this.#deps.enabled, enabled, reactions: reactions.toReversed() };
  }

  /** Removes one reaction with its effect; a star stays a star. False: there is no such reaction. */
  async remove(person: string, id: string): Promise<boolean> {
    const { store, clock } = this.#deps;
    let found = false;
    await store.update(person, clock.now(), (record) => {
      found = record.reactions.some((reaction) => reaction.id === id);
      if (!found) return record;
      return {
        ...record,
        reactions: record.reactions.filter((reaction) => reaction.id !== id),
        // Taking back an older change must not bring it back.
        changes: record.changes.map((change) => ({
          ...change,
          removed: change.removed.filter((reaction) => reaction.id !== id),
        })),
      };
    });
    return found;
  }

  /** Forgets everything learned about a person; the setting stays. */
  async forget(person: string): Promise<void> {
    const { store, clock } = this.#deps;
    await store.update(person, clock.now(), (record) =>
      record.reactions.length + record.changes.length === 0
        ? record
        : { ...record, reactions: [], changes: [] },
    );
  }

  async setEnabled(person: string, enabled: boolean): Promise<void> {
    const { store, clock } = this.#deps;
    await store.update(person, clock.now(), (record) =>
      record.enabled === enabled ? record : { ...record, enabled },
    );
  }

  /** `null`: nothing was learned about the person, or learning is off. */
  async tasteOf(person: string): Promise<Taste | null> {
    const { store, clock, enabled, sourceNames } = this.#deps;
    if (!enabled) return null;
    const { enabled: wanted, reactions } = await store.of(person);
    if (!wanted || reactions.length === 0) return null;
    const now = clock.now();
    const cached = this.#tastes.get(person);
    if (cached !== undefined && now - cached.madeAt < TASTE_TTL_MS && isSame(cached.reactions, reactions))
      return cached.taste;
    const taste = new Taste(reactions, now, { background: await this.#readBackground(), sourceNames });
    this.#tastes.delete(person);
    this.#tastes.set(person, { reactions, taste, madeAt: now });
    const [oldest] = this.#tastes.keys();
    if (this.#tastes.size > MAX_CACHED_TASTES && oldest !== undefined) this.#tastes.delete(oldest);
    return taste.isEmpty ? null : taste;
  }

  /** What everybody who is signed in reacted to, of articles that these sources carry. `null`: nothing. */
  async ofPipeline(sources: Iterable<string>): Promise<PipelineTaste | null> {
    const { store, clock, enabled, sourceNames } = this.#deps;
    if (!enabled) return null;
    const now = clock.now();
    const carried = new Set(sources);
    const reactions: PersonsReaction[] = [];
    for (const [person, record] of await store.changedSince(now - MAX_REACTION_AGE_MS))
      if (record.enabled)
        for (const reaction of record.reactions)
          if (reaction.sourceIds.some((id) => carried.has(id))) reactions.push({ ...reaction, person });
    if (reactions.length === 0) return null;
    const taste = new Taste(reactions, now, { background: await this.#readBackground(), sourceNames });
    if (taste.isEmpty) return null;
    return { taste, raised: new RaisedArticles(), examples: examplesOf(reactions, now) };
  }

  async #change(
    person: string,
    token: string,
    decide: (
      record: ReactionRecord,
    ) => { readonly added: readonly Reaction[]; readonly removed: ReadonlySet<string> } | null,
  ): Promise<string | null> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    let changed = false;
    await store.update(person, now, (record) => {
      const decided = decide(record);
      const removed = record.reactions.filter(({ id }) => decided?.removed.has(id));
      changed = decided !== null && decided.added.length + removed.length > 0;
      if (decided === null || !changed) return record;
      const change: ReactionChange = { token, at: now, added: decided.added.map(({ id }) => id), removed };
      const rest = record.reactions.filter((reaction) => !removed.includes(reaction));
      return {
        ...record,
        reactions: kept([...rest, ...decided.added], now),
        changes: [...record.changes.filter((one) => this.#canBeUndone(one)), change].slice(-MAX_CHANGES),
      };
    });
    return changed ? token : null;
  }

  #canBeUndone({ at }: ReactionChange): boolean {
    return this.#deps.clock.now() - at <= UNDO_WITHIN_MS;
  }

  async #readBackground(): Promise<Background> {
    const { entries, clock, maxBackground = DEFAULT_MAX_BACKGROUND } = this.#deps;
    const now = clock.now();
    if (this.#background !== null && now - this.#background.madeAt < BACKGROUND_TTL_MS)
      return this.#background.background;
    const recent = await entries.recent(now - BACKGROUND_WITHIN_MS, maxBackground);
    const background = recent.length === 0 ? NO_BACKGROUND : backgroundOf(recent);
    this.#background = { background, madeAt: now };
    return background;
  }
}

/** What an item of a ledger has of these facts. */
export function factsOfItem({ title, excerpt, author, sourceId }: Item): ReactedFacts {
  return { title, excerpt: excerpt ?? null, author: author ?? null, sourceIds: [sourceId] };
}

function toReaction(kind: ReactionKind, article: ReactedArticle, at: number): Reaction {
  const { key, url, title, excerpt, author, sourceIds } = article;
  return {
    id: idOf(kind, key),
    kind,
    at,
    key,
    url,
    title: shorten(title, MAX_REACTED_TEXT),
    excerpt: excerpt === null ? null : shorten(excerpt, MAX_REACTED_TEXT),
    author: author === null ? null : shorten(author, MAX_REACTED_TEXT),
    sourceIds: sourceIds.slice(0, 5),
  };
}

function idOf(kind: ReactionKind, key: ItemKey): string {
  return `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** "More" replaces "less", and the other way round. */
function opposites(kind: ReactionKind): readonly ReactionKind[] {
  if (kind === 'more') return ['less'];
  return kind === 'less' ? ['more'] : [];
}

/** The reactions that still count, oldest first; of too many those that say least are dropped. */
function kept(reactions: readonly Reaction[], now: number): readonly Reaction[] {
  const distinct = new Map(reactions.map((reaction) => [reaction.id, reaction]));
  const counting = [...distinct.values()]
    .filter(({ at }) => now - at <= MAX_REACTION_AGE_MS)
    .toSorted((a, b) => a.at - b.at);
  const excess = counting.length - MAX_REACTIONS;
  if (excess <= 0) return counting;
  const weakest = new Set(
    counting
      .toSorted(
        (a, b) => Math.abs(REACTION_VALUES[a.kind]) - Math.abs(REACTION_VALUES[b.kind]) || a.at - b.at,
      )
      .slice(0, excess),
  );
  return counting.filter((reaction) => !weakest.has(reaction));
}

function isSame(one: readonly Reaction[], other: readonly Reaction[]): boolean {
  return (
    one.length === other.length && one.every(({ id, at }, n) => id === other[n]?.id && at === other[n]?.at)
  );
}

/** The newest titles of each kind, of the days before today: a reaction changes the questions to a model once a day. */
function examplesOf(reactions: readonly PersonsReaction[], now: number): Examples | null {
  const today = Math.floor(now / DAY) * DAY;
  const titles = (isWanted: boolean): readonly string[] =>
    [
      ...new Set(
        reactions
          .filter(
            ({ at, kind }) => at < today && REACTION_VALUES[kind] > 0 === isWanted && kind !== 'finished',
          )
          .toSorted((a, b) => b.at - a.at)
          .map(({ title }) => title),
      ),
    ].slice(0, MAX_EXAMPLES);
  const liked = titles(true);
  const disliked = titles(false);
  if (liked.length + disliked.length === 0) return null;
  const version = createHash('sha256')
    .update(JSON.stringify([liked, disliked]))
    .digest('hex')
    .slice(0, 8);
  return { liked, disliked, version };
}
