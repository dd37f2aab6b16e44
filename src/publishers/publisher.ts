import type { Enclosure, Item, ItemKey } from '../item/item.ts';

/**
 * Adapter of one destination. Renders a message, sends it and reports the outcome, including an uncertain one. It never
 * retries: the outbox decides that.
 */
export interface Publisher {
  /** ID of the destination in the configuration. */
  readonly id: string;
  readonly abilities: PublisherAbilities;
  /** Fetches what rendering depends on, such as the limits of the destination. On failure the last known values stay in use. */
  prepare?(signal?: AbortSignal): Promise<void>;
  /** The exact body to enqueue. The version changes whenever the same content would be rendered differently. */
  render(content: Content): Rendered;
  send(message: OutgoingMessage, signal?: AbortSignal): Promise<SendOutcome>;
  /** Reads back whether a message arrived although its reply was lost. */
  readBack(message: OutgoingMessage, signal?: AbortSignal): Promise<ReadBackOutcome>;
  /**
   * The message revised after one of its items was edited at its source; `null` if it does not contain that item or would not change.
   * Only destinations whose messages can be edited have this and `edit`.
   */
  revise?(body: string, change: EditedItem): string | null;
  /** Replaces the body of a sent message. Never creates a new one, so it is safe to repeat. */
  edit?(remoteId: string, body: string, signal?: AbortSignal): Promise<EditOutcome>;
  /**
   * Until when the destination is rate limited, according to its responses; 0 = it is not. Checked before each message, so that
   * the message waits instead of being rejected.
   */
  rateLimitedUntil?(): number;
}

export interface PublisherAbilities {
  /** For how long the destination itself deduplicates by key; 0 = never. */
  readonly nativeIdempotencyMs: number;
  readonly canReadBack: boolean;
  /** Maximum number of items in one message. */
  readonly itemsPerMessage: number;
  /** Whether it wants the `enclosures` of items. Default false: they are not looked up. */
  readonly takesEnclosures?: boolean;
}

export interface Content {
  readonly pipeline: string;
  readonly items: readonly ContentItem[];
  /** A sentence for the whole message, e.g. how many wait for tomorrow. */
  readonly note?: string;
}

/** Title and address come from the ledger, never from a model. */
export interface ContentItem {
  readonly item: Item;
  readonly summary: string | null;
  /** Names of the other sources of the same story. */
  readonly alsoSeenIn: readonly string[];
  /** Other items of the same story: published together with this one. */
  readonly others?: readonly ItemKey[];
  /** Of the item, as the reader knows it; only for a destination with `takesEnclosures`, and absent if there are none. */
  readonly enclosures?: readonly Enclosure[];
}

export interface Rendered {
  readonly body: string;
  readonly templateVersion: string;
}

export interface OutgoingMessage {
  /** The same for every attempt at this message. */
  readonly key: string;
  readonly itemKeys: readonly ItemKey[];
  readonly body: string;
  /** When the first attempt was made; `null` before it. */
  readonly firstTriedAt: number | null;
  /** It may have been sent without a record here, perhaps with others: any message with its links matches. */
  readonly sentBefore?: true;
}

export type SendOutcome =
  | { readonly outcome: 'sent'; readonly remoteId: string; readonly url?: string }
  /** Definitely not applied, and a retry would be refused again. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Definitely not applied; the message itself is valid. The destination is paused until then (rate limit, key, outage). */
  | {
      readonly outcome: 'held';
      readonly detail: string;
      readonly until: number | null;
      /** Nothing of the message was sent. */
      readonly unreachable?: true;
    }
  /** May or may not have been applied. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** An item as its source currently reports it. */
export interface EditedItem {
  readonly url: string;
  readonly title: string;
}

export type EditOutcome =
  | { readonly outcome: 'edited' }
  /** The message was deleted at the destination. */
  | { readonly outcome: 'gone'; readonly detail: string }
  | { readonly outcome: 'refused'; readonly detail: string }
  | { readonly outcome: 'later'; readonly detail: string; readonly until: number | null };

export type ReadBackOutcome =
  | { readonly outcome: 'found'; readonly remoteId: string; readonly url?: string }
  | { readonly outcome: 'absent' }
  /** `passing`: a later attempt may find out. */
  | { readonly outcome: 'cannot_tell'; readonly detail: string; readonly passing?: boolean };
