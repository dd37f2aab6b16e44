import { type Ask, header, type Reply, type Service } from '../net/exchange.ts';
import { html, json } from '../net/reply.ts';
import { countCharacters } from './count.ts';
import { badJson, forbidden, invalid, invalidToken, mastodonError, noEndpoint, notFound } from './errors.ts';
import { readForm, upload } from './form.ts';
import { account, type InstanceOptions, instanceV1, instanceV2 } from './instance.ts';
import { MASTODON_LIMITS, type MastodonLimits, Throttle } from './rate-limit.ts';
import { type Media, type Status, Statuses, type StatusForm, type Visibility } from './statuses.ts';

export interface MastodonOptions extends InstanceOptions {
  /** `false` switches them off; Mastodon's own by default. */
  readonly limits?: Partial<MastodonLimits> | false;
  /** For how long an `Idempotency-Key` is stored: an hour. */
  readonly keyMs?: number;
}

/** Not a secret: only the simulator accepts it. */
export const MASTODON_TOKEN = 'simulated-mastodon-access-token';
const SOURCE = {
  privacy: 'public',
  sensitive: false,
  language: '',
  note: '',
  fields: [],
  follow_requests_count: 0,
};
const ROLE = { id: '-99', name: '', permissions: '65536', color: '', highlighted: false };
const APPLICATION = {
  name: 'Kawaraban',
  website: null,
  scopes: ['read', 'write'],
  redirect_uris: ['urn:ietf:wg:oauth:2.0:oob'],
};
const MAX_MEDIA = 4;
const VISIBILITIES: readonly string[] = ['public', 'unlisted', 'private', 'direct'];

/** A Mastodon instance with one account. */
export class Mastodon implements Service {
  readonly #base: string;
  readonly #options: MastodonOptions;
  readonly #statuses: Statuses;
  readonly #throttle: Throttle | null;
  #revoked = false;

  constructor(base: string, options: MastodonOptions = {}) {
    this.#base = base;
    this.#options = options;
    this.#statuses = new Statuses(base, options.keyMs);
    this.#throttle =
      options.limits === false ? null : new Throttle({ ...MASTODON_LIMITS, ...options.limits });
  }

  readonly token: string = MASTODON_TOKEN;
  errorReply = mastodonError;

  /** Everything that the account shows now, oldest first. */
  statuses(): readonly Status[] {
    return this.#statuses.all;
  }

  /** How often this was posted: counts statuses whose text contains it. */
  posted(text: string): number {
    return this.#statuses.all.filter((status) => status.text.includes(text)).length;
  }

  /** From now on the token is invalid. */
  revoke(): void {
    this.#revoked = true;
  }

  clear(): void {
    this.#statuses.clear();
  }

  restore(statuses: readonly Status[]): void {
    this.#statuses.restore(statuses);
  }

  async answer(ask: Ask): Promise<Reply> {
    const described = { base: this.#base, options: this.#options, statuses: this.#statuses.all };
    if (ask.path === '/api/v2/instance') {
      return this.#options.withoutV2 ? noEndpoint() : json(instanceV2(described));
    }
    if (ask.path === '/api/v1/instance') return json(instanceV1(described));
    if (!ask.path.startsWith('/api/')) return this.#page(ask.path);
    const usage = this.#throttle?.take(isNewStatus(ask) ? 'statuses' : 'calls', ask.now);
    const reply = usage?.exceeded ? mastodonError(429) : await this.#call(ask);
    return { ...reply, headers: { ...reply.headers, ...usage?.headers } };
  }

  async #call(ask: Ask): Promise<Reply> {
    const [, version, kind, id, below] = ask.path.split('/').slice(1);
    const mine = !this.#revoked && header(ask, 'authorization') === `Bearer ${this.token}`;
    if (kind === 'statuses' && id !== undefined) return this.#one(ask, id, below, mine);
    if (!mine) return invalidToken();
    const me = account(this.#base, this.#statuses.all);
    if (kind === 'statuses' && ask.method === 'POST' && version === 'v1') return this.#post(ask);
    if (kind === 'media') return this.#media(ask, id);
    if (kind === 'accounts' && id === 'verify_credentials') {
      return json({ ...me, source: SOURCE, role: ROLE });
    }
    if (kind === 'accounts' && id === me.id) return below === 'statuses' ? this.#list(ask) : json(me);
    if (kind === 'apps' && id === 'verify_credentials') {
      return json(APPLICATION);
    }
    return kind === 'accounts' ? notFound() : noEndpoint();
  }

  async #post(ask: Ask): Promise<Reply> {
    const key = header(ask, 'idempotency-key');
    const earlier = key === undefined ? undefined : this.#statuses.underKey(key, ask.now);
    if (earlier !== undefined) {
      const status = this.#statuses.find(earlier);
      return status ? json(this.#toEntity(status)) : notFound();
    }
    const form = await readForm(ask);
    if (!form) return badJson();
    const problem = this.#check(form);
    if (problem) return problem;
    const visibility = (form.visibility ?? 'public') as Visibility;
    return json(this.#toEntity(this.#statuses.post(form, visibility, key, ask.now)));
  }

  #check(form: StatusForm): Reply | null {
    if (form.visibility !== undefined && !VISIBILITIES.includes(form.visibility)) {
      return invalid('Visibility is not included in the list');
    }
    if (form.status !== undefined && typeof form.status !== 'string') return invalid('Text is invalid');
    if (form.language !== undefined && !/^[a-z]{2,3}(?:-[A-Za-z]{2,8})?$/.test(form.language))
      return invalid('Language is invalid');
    if (form.media_ids !== undefined && !Array.isArray(form.media_ids))
      return invalid('Media ids is invalid');
    if ((form.media_ids?.length ?? 0) > MAX_MEDIA) return invalid('Cannot attach more than 4 files');
    if (form.in_reply_to_id !== undefined && this.#statuses.find(form.in_reply_to_id) === undefined)
      return json({ error: 'Record not found' }, 404);
    if (!form.status?.trim() && !form.media_ids?.length) return invalid("Text can't be blank");
    const { maxCharacters = 500, charactersPerUrl } = this.#options;
    const length = countCharacters(form.status ?? '', form.spoiler_text ?? '', charactersPerUrl);
    if (length > maxCharacters) return invalid(`Text character limit of ${maxCharacters} exceeded`);
    const lost = form.media_ids?.some((id) => !this.#statuses.media.has(id));
    return lost ? json({ error: 'Record not found' }, 404) : null;
  }

  async #one(ask: Ask, id: string, below: string | undefined, mine: boolean): Promise<Reply> {
    const status = this.#statuses.find(id);
    if (!status || (!mine && (status.visibility === 'private' || status.visibility === 'direct'))) {
      return notFound();
    }
    if (ask.method === 'GET' && below === undefined) return json(this.#toEntity(status));
    if (!mine) return invalidToken();
    if (ask.method === 'GET' && below === 'source') {
      return json({ id, text: status.text, spoiler_text: status.spoiler_text });
    }
    if (below !== undefined) return noEndpoint();
    if (ask.method === 'DELETE') {
      this.#statuses.remove(status);
      return json({ ...this.#toEntity(status), text: status.text });
    }
    if (ask.method !== 'PUT') return forbidden();
    const form = await readForm(ask);
    if (!form) return badJson();
    return this.#check(form) ?? json(this.#toEntity(this.#statuses.edit(status, form, ask.now)));
  }

  /** Newest first, with links to the neighbouring pages. */
  #list(ask: Ask): Reply {
    const limit = Math.min(40, Math.max(1, Number(ask.query.get('limit') ?? 20) || 20));
    const bound = (name: string): bigint | null => {
      const text = ask.query.get(name);
      return text !== null && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
    };
    const [max, since, min] = [bound('max_id'), bound('since_id'), bound('min_id')];
    const found = this.#statuses.all
      .filter(({ id }) => (max === null || BigInt(id) < max) && BigInt(id) > (since ?? min ?? -1n))
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
    const page = min !== null ? found.slice(-limit) : found.slice(0, limit);
    const link = pageLinks(`${this.#base}${ask.path}`, page);
    return json(
      page.map((status) => this.#toEntity(status)),
      200,
      link,
    );
  }

  async #media(ask: Ask, id: string | undefined): Promise<Reply> {
    if (ask.method === 'GET' && id !== undefined) {
      const media = this.#statuses.media.get(id);
      return media ? json(media) : notFound();
    }
    if (ask.method !== 'POST') return noEndpoint();
    const form = await upload(ask).catch(() => null);
    const file = form?.get('file');
    if (!(file instanceof File)) return invalid("File can't be blank");
    if (!file.type.startsWith('image/')) return invalid('File content type is invalid, File is invalid');
    const mediaId = this.#statuses.nextId(ask.now);
    const description = form?.get('description');
    const media: Media = {
      id: mediaId,
      type: 'image',
      url: `${this.#base}/media/${mediaId}`,
      preview_url: `${this.#base}/media/${mediaId}`,
      remote_url: null,
      meta: { original: { width: 640, height: 480, size: '640x480', aspect: 4 / 3 } },
      description: typeof description === 'string' ? description : null,
      blurhash: 'UFBWY:8_0Jxv4mx]t8t64.%M-:IUWGWAt6M}',
    };
    this.#statuses.media.set(mediaId, media);
    return json(media);
  }

  /** As it is returned to all clients: without the plain text. */
  #toEntity(status: Status): object {
    const { text: _, ...rest } = status;
    return {
      ...rest,
      account: account(this.#base, this.#statuses.all),
      replies_count: 0,
      reblogs_count: 0,
      favourites_count: 0,
      application: { name: APPLICATION.name, website: APPLICATION.website },
      tags: [],
      emojis: [],
      card: null,
      poll: null,
      reblog: null,
      quote: null,
      in_reply_to_account_id: null,
      favourited: false,
      reblogged: false,
      muted: false,
      bookmarked: false,
      pinned: false,
      filtered: [],
    };
  }

  #page(path: string): Reply {
    const status = this.#statuses.find(/^\/@kawaraban\/(\d+)$/.exec(path)?.[1] ?? '');
    if (!status) return html('<!doctype html><title>Not found</title><h1>404</h1>', 404);
    return html(
      `<!doctype html><meta charset="utf-8"><title>Kawaraban</title><article>${status.content}</article>`,
    );
  }
}

function isNewStatus(ask: Ask): boolean {
  return ask.method === 'POST' && ask.path === '/api/v1/statuses';
}

function pageLinks(url: string, page: readonly Status[]): Record<string, string> {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return {};
  return { link: `<${url}?max_id=${last.id}>; rel="next", <${url}?min_id=${first.id}>; rel="prev"` };
}
