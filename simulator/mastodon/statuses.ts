import { HOUR } from '../../src/time/duration.ts';
import { contentHtml, mentionsIn } from './count.ts';

export type Visibility = 'public' | 'unlisted' | 'private' | 'direct';

/** What a client sends when it posts or edits. */
export interface StatusForm {
  readonly status?: string;
  readonly spoiler_text?: string;
  readonly visibility?: string;
  readonly language?: string;
  readonly sensitive?: boolean | string;
  readonly in_reply_to_id?: string;
  readonly media_ids?: readonly string[];
}

/** A status as the instance stores it; `text` is returned only to its author. */
export interface Status {
  readonly id: string;
  readonly created_at: string;
  readonly edited_at: string | null;
  readonly in_reply_to_id: string | null;
  readonly sensitive: boolean;
  readonly spoiler_text: string;
  readonly visibility: Visibility;
  readonly language: string | null;
  readonly uri: string;
  readonly url: string;
  readonly content: string;
  readonly text: string;
  readonly media_attachments: readonly Media[];
  readonly mentions: readonly Mention[];
}

export interface Mention {
  readonly id: string;
  readonly username: string;
  readonly url: string;
  readonly acct: string;
}

export interface Media {
  readonly id: string;
  readonly type: 'image' | 'unknown';
  readonly url: string;
  readonly preview_url: string;
  readonly remote_url: null;
  readonly meta: object;
  readonly description: string | null;
  readonly blurhash: string | null;
}

/** The statuses of one account, and the keys under which they were posted. */
export class Statuses {
  readonly #base: string;
  readonly #keyMs: number;
  readonly #keys = new Map<string, { readonly id: string; readonly until: number }>();
  readonly media = new Map<string, Media>();
  #all: Status[] = [];
  #lastId = 0n;

  constructor(base: string, keyMs = HOUR) {
    this.#base = base;
    this.#keyMs = keyMs;
  }

  get all(): readonly Status[] {
    return this.#all;
  }

  nextId(now: number): string {
    const fresh = BigInt(now) << 16n;
    this.#lastId = fresh > this.#lastId ? fresh : this.#lastId + 1n;
    return String(this.#lastId);
  }

  find(id: string): Status | undefined {
    return this.#all.find((status) => status.id === id);
  }

  /** The ID that was posted under this key within the hour. */
  underKey(key: string, now: number): string | undefined {
    const known = this.#keys.get(key);
    return known && known.until > now ? known.id : undefined;
  }

  post(form: StatusForm, visibility: Visibility, key: string | undefined, now: number): Status {
    const id = this.nextId(now);
    const status: Status = {
      id,
      created_at: new Date(now).toISOString(),
      edited_at: null,
      in_reply_to_id: form.in_reply_to_id ?? null,
      visibility,
      uri: `${this.#base}/users/kawaraban/statuses/${id}`,
      url: `${this.#base}/@kawaraban/${id}`,
      ...this.#written(form),
    };
    this.#all.push(status);
    if (key !== undefined) this.#keys.set(key, { id, until: now + this.#keyMs });
    return status;
  }

  edit(status: Status, form: StatusForm, now: number): Status {
    const edited = { ...status, ...this.#written(form), edited_at: new Date(now).toISOString() };
    this.#all = this.#all.map((other) => (other.id === status.id ? edited : other));
    return edited;
  }

  remove(status: Status): void {
    this.#all = this.#all.filter((other) => other.id !== status.id);
  }

  clear(): void {
    this.#all = [];
    this.#keys.clear();
  }

  restore(statuses: readonly Status[]): void {
    this.#all = [...statuses];
  }

  #written(form: StatusForm) {
    const text = form.status ?? '';
    const found = (form.media_ids ?? []).map((id) => this.media.get(id));
    return {
      text,
      content: contentHtml(text),
      spoiler_text: form.spoiler_text ?? '',
      sensitive: form.sensitive === true || form.sensitive === 'true' || Boolean(form.spoiler_text),
      language: form.language ?? 'en',
      media_attachments: found.filter((media) => media !== undefined),
      mentions: mentionsIn(text).map((acct, index) => ({
        id: String(120000000000000001n + BigInt(index)),
        username: acct.split('@')[0] ?? acct,
        url: `${this.#base}/@${acct}`,
        acct,
      })),
    };
  }
}
