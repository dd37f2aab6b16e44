import type { Item, ItemKey } from '../item/item.ts';

/**
 * One destination. It renders what will be sent, sends it, and says honestly what became of it. It never decides
 * whether to send again: the outbox does.
 */
export interface Publisher {
  /** ID of the destination in the configuration. */
  readonly id: string;
  readonly abilities: PublisherAbilities;
  /** Reads what rendering has to know of the other side, such as its limits. It fails silently: the last known ones hold. */
  prepare?(signal?: AbortSignal): Promise<void>;
  /** The exact message; part of the intent. The version changes whenever the same content would look different. */
  render(content: Content): Rendered;
  send(message: OutgoingMessage, signal?: AbortSignal): Promise<SendOutcome>;
  /** Finds out whether a message whose reply was lost was applied. */
  readBack(message: OutgoingMessage, signal?: AbortSignal): Promise<ReadBackOutcome>;
  /**
   * The same message after one of its items was edited at its source; `null` where it says nothing of that item, or would read the same.
   * Only destinations whose messages can be edited have this and `edit`.
   */
  revise?(body: string, change: EditedItem): string | null;
  /** Makes a message that is there read like this. It never makes a new one, so repeating it does no harm. */
  edit?(remoteId: string, body: string, signal?: AbortSignal): Promise<EditOutcome>;
  /**
   * Until when the other side takes nothing, as its answers have said (limits that are used up); 0 = it takes. Asked before
   * each message, so that it waits instead of being refused.
   */
  rateLimitedUntil?(): number;
}

export interface PublisherAbilities {
  /** For how long the other side recognises a repeated key by itself; 0 = never. */
  readonly nativeIdempotencyMs: number;
  readonly canReadBack: boolean;
  /** How many items one message can carry. */
  readonly itemsPerMessage: number;
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
  /** Names of the other sources that carried the same story. */
  readonly alsoSeenIn: readonly string[];
  /** Other items that tell the same story: said together with this one. */
  readonly others?: readonly ItemKey[];
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
  /** It may have been sent without a record here, perhaps with others: any message with its links is it. */
  readonly sentBefore?: true;
}

export type SendOutcome =
  | { readonly outcome: 'sent'; readonly remoteId: string; readonly url?: string }
  /** Certainly not applied, and the same message would be refused again. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Certainly not applied; the message itself is fine. The whole destination rests until then (limits, key, outage). */
  | {
      readonly outcome: 'held';
      readonly detail: string;
      readonly until: number | null;
      /** Nothing of the message left this machine. */
      readonly unreachable?: true;
    }
  /** May or may not have been applied. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** An item as its source tells it now. */
export interface EditedItem {
  readonly url: string;
  readonly title: string;
}

export type EditOutcome =
  | { readonly outcome: 'edited' }
  /** Somebody took the message away. */
  | { readonly outcome: 'gone'; readonly detail: string }
  | { readonly outcome: 'refused'; readonly detail: string }
  | { readonly outcome: 'later'; readonly detail: string; readonly until: number | null };

export type ReadBackOutcome =
  | { readonly outcome: 'found'; readonly remoteId: string; readonly url?: string }
  | { readonly outcome: 'absent' }
  /** `passing`: asking again later may tell. */
  | { readonly outcome: 'cannot_tell'; readonly detail: string; readonly passing?: boolean };
