import { HOUR, SECOND } from '../../src/time/duration.ts';
import { page } from '../control/page.ts';
import { xml } from '../feeds/format.ts';
import type { Ask, Reply, Service } from '../net/exchange.ts';
import { html, json, text } from '../net/reply.ts';
import { iconReply } from '../pages/icon.ts';
import type { World } from '../world/world.ts';
import { type HackerNewsItem, type ItemMaker, itemAt } from './item.ts';

export interface HackerNewsOptions {
  /** A new item appears this often. */
  readonly itemMs?: number;
}

/** How many comments a page shows. */
const MAX_COMMENTS = 30;
/** Time span of the lists. */
const CANDIDATES = 2500;

/** Hacker News' Firebase API. */
export class HackerNews implements Service {
  readonly #maker: ItemMaker;
  readonly #set = new Map<number, HackerNewsItem | null>();

  constructor(seed: number, world: World, pages: string, options: HackerNewsOptions = {}) {
    this.#maker = { seed, world, pages, itemMs: options.itemMs ?? 30 * SECOND };
  }

  /** The item at this time, or `null`. */
  item(id: number, now: number): HackerNewsItem | null {
    const set = this.#set.get(id);
    return set === undefined ? itemAt(this.#maker, id, now) : set;
  }

  maxItem(now: number): number {
    const own = Math.floor(now / this.#maker.itemMs);
    return Math.max(own, ...this.#set.keys());
  }

  /** From now on this ID returns exactly this. */
  set(id: number, item: HackerNewsItem | null): void {
    this.#set.set(id, item);
  }

  errorReply(status: number): Reply {
    const words: Readonly<Record<number, string>> = { 401: 'Permission denied', 404: 'Not Found' };
    return json({ error: words[status] ?? 'Internal server error.' }, status);
  }

  answer(ask: Ask): Reply {
    if (ask.method !== 'GET') return this.errorReply(401);
    if (ask.path === '/item') return this.#commentsPage(Number(ask.query.get('id')), ask.now);
    if (ask.path === '/favicon.ico') return iconReply('Hacker News', 'ico');
    const name = /^\/v0\/(.+)\.json$/.exec(ask.path)?.[1];
    if (name === undefined) return this.errorReply(404);
    const pretty = ask.query.get('print') === 'pretty';
    const value = this.#read(name, ask.now);
    if (value === undefined) return this.errorReply(401);
    const reply = json(value);
    return pretty ? { ...reply, body: `${JSON.stringify(value, null, 2)}\n` } : reply;
  }

  #read(name: string, now: number): unknown {
    const item = /^item\/(\d{1,15})$/.exec(name)?.[1];
    if (item !== undefined) return this.item(Number(item), now);
    const user = /^user\/(\w+)$/.exec(name)?.[1];
    if (user !== undefined) return { id: user, created: 1_700_000_000, karma: 42, about: '' };
    switch (name) {
      case 'maxitem':
        return this.maxItem(now);
      case 'newstories':
        return this.#stories(now).slice(0, 500).map(idOf);
      case 'topstories':
        return this.#ranked(now, (story) => heat(story, now)).slice(0, 500);
      case 'beststories':
        return this.#ranked(now, (story) => story.score ?? 0).slice(0, 200);
      case 'askstories':
        return this.#questions(now);
      case 'jobstories':
        return this.#recent(now)
          .filter((each) => each.type === 'job')
          .map(idOf);
      case 'updates':
        return { items: this.#stories(now).slice(0, 60).map(idOf), profiles: ['marrow', 'inkblot'] };
      default:
        return undefined;
    }
  }

  /** The page of comments that people open. */
  #commentsPage(id: number, now: number): Reply {
    const item = this.item(id, now);
    if (item === null) return text('No such item.\n', 404);
    const title = item.title ?? `Comment by ${item.by ?? 'someone'}`;
    const link = item.url === undefined ? xml(title) : `<a href="${xml(item.url)}">${xml(title)}</a>`;
    const comments = (item.kids ?? []).slice(0, MAX_COMMENTS).flatMap((kid) => {
      const comment = this.item(kid, now);
      return comment?.text === undefined
        ? []
        : [`<li><b>${xml(comment.by ?? '')}</b>: ${xml(comment.text.replaceAll(/<[^>]*>/g, ' '))}</li>`];
    });
    return html(
      page(
        title,
        '',
        `<p class="note">The simulated Hacker News</p><h1>${link}</h1>
<p>${item.score ?? 0} points by ${xml(item.by ?? '')}, ${item.descendants ?? 0} comments</p>
${item.text === undefined ? '' : `<p>${xml(item.text.replaceAll(/<[^>]*>/g, ' '))}</p>`}<ul>${comments.join('')}</ul>`,
      ),
    );
  }

  #recent(now: number): HackerNewsItem[] {
    const max = this.maxItem(now);
    const found = Array.from({ length: Math.min(max, CANDIDATES) }, (_, back) => {
      const set = this.#set.get(max - back);
      return set === undefined ? itemAt(this.#maker, max - back, now, 'without words') : set;
    });
    return found.filter((item) => item !== null);
  }

  /** Living stories, newest first. */
  #stories(now: number): HackerNewsItem[] {
    return this.#recent(now).filter((item) => item.type === 'story' && !item.deleted && !item.dead);
  }

  #questions(now: number): number[] {
    const ids = this.#stories(now).slice(0, 500).map(idOf);
    return ids.filter((id) => this.item(id, now)?.title?.startsWith('Ask HN'));
  }

  #ranked(now: number, worth: (story: HackerNewsItem) => number): number[] {
    return this.#stories(now)
      .map((story) => ({ id: story.id, worth: worth(story) }))
      .sort((a, b) => b.worth - a.worth || b.id - a.id)
      .map(idOf);
  }
}

function idOf({ id }: { readonly id: number }): number {
  return id;
}

/** Points against age, as the front page weighs them. */
function heat(story: HackerNewsItem, now: number): number {
  const hours = (now - (story.time ?? 0) * SECOND) / HOUR;
  return ((story.score ?? 1) - 1) / (hours + 2) ** 1.8;
}
