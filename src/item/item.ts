import type { LearnedVerdict } from './learned.ts';
import type { Reason, State } from './lifecycle.ts';

/**
 * What makes an item that item: its canonical address, or that address with a fragment of our own where a feed's
 * link alone does not tell its items apart (see `identity.ts`). Compared as a plain string.
 */
export type ItemKey = string & { readonly __itemKey: true };

/** What a source submits: one item as one source shows it, before it is known whether it is new. */
export interface Sighting {
  readonly key: ItemKey;
  /** The address a person should open; as the source gave it, made absolute. */
  readonly url: string;
  /** Plain text, never empty: sources fall back to the address. */
  readonly title: string;
  /** Milliseconds; the time of reading where the source gives none or an impossible one. */
  readonly publishedAt: number;
  /** ID of the source in the configuration, and its name for people. */
  readonly sourceId: string;
  readonly sourceName: string;
  /** What the source itself calls it (guid, video ID), where it has such a thing. */
  readonly foreignId?: string;
  readonly author?: string;
  /** Text that the source itself gave, without markup. */
  readonly excerpt?: string;
  /** BCP 47, where known. */
  readonly language?: string;
  readonly imageUrl?: string;
  readonly video?: VideoFacts;
  /** A score that the source itself keeps (Hacker News points). */
  readonly points?: number;
  /** Unsafe HTML of the feed; `sanitiseArticle` before use, with `url` as its base. */
  readonly content?: string;
  /** What can be played comes first. */
  readonly enclosures?: readonly Enclosure[];
  /** A single enclosure; `enclosures` wins. */
  readonly enclosure?: Enclosure;
}

/** Enclosures of one item; more are left out. */
export const MAX_ENCLOSURES = 20;

/** A file that belongs to an item: the episode of a podcast, a video. */
export interface Enclosure {
  /** Absolute, http or https. */
  readonly url: string;
  /** Media type, where the source gives it. */
  readonly type: string | null;
  readonly lengthBytes: number | null;
  readonly durationSeconds: number | null;
}

/** What is known of a video beyond an ordinary item. Names as the video contract has them. */
export interface VideoFacts {
  readonly videoId: string;
  readonly channelId: string;
  readonly channelTitle: string;
  readonly kind?: 'video' | 'short' | 'live' | 'premiere';
  /** Set while the video is announced but cannot be watched yet. */
  readonly startsAt?: number;
  readonly durationSeconds?: number;
  readonly description?: string;
}

/** What ledgers keep of a sighting: not the article, which only the reader shows. */
export type ItemFacts = Omit<Sighting, 'content' | 'enclosure' | 'enclosures'>;

export function itemFacts({
  content: _content,
  enclosure: _enclosure,
  enclosures: _enclosures,
  ...facts
}: Sighting): ItemFacts {
  return facts;
}

/** An item as the ledger knows it. */
export interface Item extends ItemFacts {
  readonly state: State;
  /** Why it is in that state; `none` if there is no particular reason. */
  readonly reason: Reason;
  /** Human-readable reason: an error's message, a judge's sentence. */
  readonly detail: string | null;
  /** Number of attempts that were deferred or failed (the contract's `retry_count` and `attempts`). */
  readonly attempts: number;
  /** Not to be claimed before this time; `null` = at once. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  /** Time of the last change of state (the contract's `last_checked_at`, `updatedAt`). */
  readonly checkedAt: number;
  readonly verdict: Verdict | null;
}

/** The verdict of a judge on an item, with everything needed to decide whether it is still valid. */
export interface Verdict {
  /** Relevance, an integer 0–100; `null` = not scored, which is never the same as 0. */
  readonly score: number | null;
  readonly topics: readonly string[];
  readonly summary: string | null;
  /** Why, in the judge's words. */
  readonly reason: string;
  readonly judge: string;
  readonly model: string;
  readonly promptVersion: string;
  readonly interestsVersion: string;
  /** Hash of the text that was judged. */
  readonly textHash: string;
  readonly madeAt: number;
  /** Made by the fall-back judge; to be re-evaluated by the real one (X18). */
  readonly provisional: boolean;
  /** What the built-in judge counted, which `reason` says in a sentence. A model explains itself only in `reason`. */
  readonly mentions?: readonly TopicMention[];
  /** The minimum score when it was decided; absent in older records, and where nothing is scored. */
  readonly minScore?: number;
  /** What reactions of people did to the score; absent where they did nothing. */
  readonly learned?: LearnedVerdict;
}

/** How often an article names a topic of the interests. */
export interface TopicMention {
  readonly topic: string;
  readonly times: number;
  readonly inTitle: boolean;
}
