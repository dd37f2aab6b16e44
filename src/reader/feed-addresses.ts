import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountStore } from '../auth/account-store.ts';
import type { Clock } from '../time/clock.ts';
import { type EntryList, VIEWS } from './reader-lists.ts';

export interface FeedAddressesDependencies {
  /** The same in all replicas. */
  readonly key: Uint8Array;
  /** Keeps a nonce for each person; it is removed with the account. */
  readonly store: Pick<AccountStore, 'findAccount' | 'marksOf' | 'setMark'>;
  readonly clock: Clock;
  readonly random?: (bytes: number) => Uint8Array;
}

/** A list without bounds of time: a feed always shows the newest. */
export type FeedList = Omit<EntryList, 'since' | 'before'>;

/** Name of the mark that keeps the nonce. */
const NONCE_MARK = 'reader-feeds';
const FIRST_NONCE = '0';
const MAX_SECRET_LENGTH = 2_000;

/**
 * Secret addresses of the feeds of a person's lists (R13). An address names person and list, with a signature over both and a nonce of the person:
 * a new nonce invalidates all addresses at once.
 */
export class FeedAddresses {
  readonly #deps: FeedAddressesDependencies;

  constructor(deps: FeedAddressesDependencies) {
    this.#deps = deps;
  }

  /** The secret part of the address; `null` for a person without an account, whom only a provider of tokens knows. */
  async secretOf(person: string, list: FeedList): Promise<string | null> {
    const { view, source = null, folder = null, text = null } = list;
    const content = Buffer.from(JSON.stringify([person, view, source, folder, text])).toString('base64url');
    // The first one is the same for all, so that concurrent first requests agree.
    const nonce = (await this.#nonce(person)) ?? (await this.#renew(person, FIRST_NONCE));
    if (nonce === null) return null;
    return `${content}.${this.#sign(content, nonce).toString('base64url')}`;
  }

  /** `null`: no address of a list, or one that was replaced. */
  async resolve(secret: string): Promise<{ readonly person: string; readonly list: FeedList } | null> {
    const [content = '', signature = '', ...rest] = secret.split('.');
    if (secret.length > MAX_SECRET_LENGTH || rest.length > 0) return null;
    const parsed = parseContent(content);
    const nonce = parsed && (await this.#nonce(parsed.person));
    if (parsed === null || nonce === null) return null;
    const [given, right] = [Buffer.from(signature, 'base64url'), this.#sign(content, nonce)];
    return given.length === right.length && timingSafeEqual(given, right) ? parsed : null;
  }

  /** Invalidates all addresses of the person. */
  async reset(person: string): Promise<void> {
    await this.#renew(person, Buffer.from((this.#deps.random ?? randomBytes)(18)).toString('base64url'));
  }

  async #nonce(person: string): Promise<string | null> {
    return (await this.#mark(person))?.position ?? null;
  }

  async #mark(person: string) {
    return (await this.#deps.store.marksOf(person)).find(({ timeline }) => timeline === NONCE_MARK);
  }

  /** The latest of concurrent calls wins. */
  async #renew(person: string, position: string): Promise<string | null> {
    const { store, clock } = this.#deps;
    if ((await store.findAccount({ userId: person })) === null) return null;
    const before = (await this.#mark(person))?.markedAt ?? 0;
    const markedAt = Math.max(clock.now(), before + 1);
    return (await store.setMark(person, { timeline: NONCE_MARK, position, markedAt })).position;
  }

  #sign(content: string, nonce: string): Buffer {
    return createHmac('sha256', this.#deps.key).update(`${nonce}.${content}`).digest();
  }
}

function parseContent(content: string): { readonly person: string; readonly list: FeedList } | null {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  const [person, named, source, folder, text] = Array.isArray(read) ? (read as unknown[]) : [];
  const view = VIEWS.find((each) => each === named);
  if (typeof person !== 'string' || view === undefined) return null;
  return {
    person,
    list: {
      view,
      ...(typeof source === 'string' && { source }),
      ...(typeof folder === 'string' && { folder }),
      ...(typeof text === 'string' && { text }),
    },
  };
}
