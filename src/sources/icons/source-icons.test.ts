import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../fetch/fetcher.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { findIcon, type IconPlace } from './find-icon.ts';
import type { IconPicture, IconRecord, SourceIconStore } from './source-icon-store.ts';
import { SourceIcons } from './source-icons.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\nan icon', 'latin1');
const OTHER = Buffer.from('\x89PNG\r\n\x1a\nanother icon', 'latin1');
const ICO = Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]);
const HASH = expect.stringMatching(/^[0-9a-f]{32}$/);

/** A web of pages by address; all others are not found. */
class Web {
  readonly pages = new Map<string, Uint8Array | string | 'away'>();
  readonly requests: string[] = [];

  async fetch({ url, maxBytes = 0 }: { url: string; maxBytes?: number }): Promise<FetchOutcome> {
    this.requests.push(url);
    const page = this.pages.get(url);
    if (page === 'away') return { outcome: 'failed', why: 'timeout', detail: 'no answer', sent: true };
    const body = typeof page === 'string' ? Buffer.from(page) : (page ?? new Uint8Array());
    if (body.length > maxBytes) return { outcome: 'failed', why: 'too_large', detail: 'large', sent: true };
    const status = page === undefined ? 404 : 200;
    return { outcome: 'response', status, body, headers: {}, url, movedTo: null, retryAt: null };
  }
}

class MemoryStore implements SourceIconStore {
  readonly records = new Map<string, IconRecord>();
  readonly pictures = new Map<string, IconPicture>();

  async load(ids: readonly string[]): Promise<ReadonlyMap<string, IconRecord>> {
    return new Map([...this.records].filter(([id]) => ids.includes(id)));
  }
  async picture(id: string): Promise<IconPicture | null> {
    return this.pictures.get(id) ?? null;
  }
  async save(id: string, record: IconRecord, picture?: IconPicture): Promise<void> {
    this.records.set(id, record);
    if (picture !== undefined) this.pictures.set(id, picture);
  }
  async remove(id: string): Promise<void> {
    this.records.delete(id);
  }
}

describe('finding the icon of a source', () => {
  const place: IconPlace = {
    named: 'https://cdn.example/icon.png',
    home: 'https://blog.example/news/',
    site: 'https://feeds.example',
  };
  async function found(pages: Record<string, Uint8Array | string>) {
    const web = new Web();
    for (const [url, page] of Object.entries(pages)) web.pages.set(url, page);
    const { picture } = await findIcon(web, place, new AbortController().signal);
    return { type: picture?.type ?? null, from: web.requests.at(-1), requests: web.requests };
  }
  const page = (...links: string[]): Record<string, string> => ({
    'https://blog.example/news/': `<html><head>${links.join('\n')}</head></html>`,
  });

  it('R24 takes the one that the feed names first', async () => {
    const { type, requests } = await found({ 'https://cdn.example/icon.png': PNG });
    expect([type, requests]).toEqual(['image/png', ['https://cdn.example/icon.png']]);
  });

  it('R24 then a link of the page, of 32 to 192 pixels before others, and a vector graphic last', async () => {
    const links = page(
      '<link rel="icon" type="image/svg+xml" href="/v.svg">',
      '<link rel="icon" sizes="512x512" href="/512.png">',
      '<link rel="SHORTCUT ICON" sizes="64x64 32x32" href="64.png">',
      '<link rel="mask-icon" href="/mask.svg">',
      '<link rel="apple-touch-icon-precomposed" href="/touch.png">',
    );
    const all = {
      'https://blog.example/news/64.png': PNG,
      'https://blog.example/touch.png': PNG,
      'https://blog.example/512.png': PNG,
      'https://blog.example/v.svg': '<?xml version="1.0"?>\n<!-- by hand -->\n<svg xmlns="x"></svg>',
    };
    const order: (string | undefined)[] = [];
    const rest: Record<string, Uint8Array | string> = { ...links, ...all };
    for (let n = 0; n < 4; n++) {
      const { from = '' } = await found(rest);
      order.push(from);
      delete rest[from];
    }
    expect(order).toEqual(Object.keys(all));
  });

  it('R24 then the favicon of the page’s host, then page and favicon of the feed’s own', async () => {
    expect(await found({ 'https://blog.example/favicon.ico': ICO })).toMatchObject({
      type: 'image/x-icon',
      from: 'https://blog.example/favicon.ico',
    });
    expect(await found({ 'https://feeds.example/favicon.ico': ICO })).toMatchObject({
      from: 'https://feeds.example/favicon.ico',
    });
  });

  it('R24 takes no icon that is large, no page in place of one, and no document with entities', async () => {
    const bad = [
      Buffer.concat([PNG, Buffer.alloc(200_000)]),
      '<html><body>Not found</body></html>',
      '<!DOCTYPE svg [<!ENTITY a "aa">]><svg xmlns="x">&a;</svg>',
    ];
    for (const body of bad)
      expect(
        (await found({ 'https://cdn.example/icon.png': body })).type,
        String(body).slice(0, 20),
      ).toBeNull();
  });
});

describe('the icons of all sources', () => {
  const at = (name: string) => ({
    id: name,
    place: { named: null, home: null, site: `https://${name}.example` },
  });

  it('R24 an icon is looked for once, in the background, and again when it expires, a missing one sooner', async () => {
    const clock = new ManualClock();
    const web = new Web();
    const store = new MemoryStore();
    let announced = 0;
    const onFound = (): void => {
      announced += 1;
    };
    await using icons = new SourceIcons({ store, fetcher: web, clock, log: silentLogger, onFound });
    web.pages.set('https://png.example/favicon.ico', PNG);
    web.pages.set('https://away.example/favicon.ico', 'away');
    const all = [at('png'), at('none'), at('away'), { id: 'unread', place: null }];
    expect(await icons.hashes(all)).toEqual(new Map());
    await expect.poll(() => icons.hashes(all)).toEqual(new Map([['png', HASH]]));
    await expect.poll(() => announced).toBe(1);
    const { hash = '' } = store.pictures.get('png') ?? {};
    expect(await icons.picture('png', hash)).toMatchObject({ type: 'image/png', bytes: PNG });
    expect(await icons.picture('png', 'f'.repeat(32))).toBeNull();
    expect(await icons.picture('none', hash)).toBeNull();

    const requested = async (): Promise<string[]> => {
      web.requests.splice(0);
      await icons.hashes(all);
      const isDone = (): boolean =>
        [...store.records.values()].every(({ expiresAt }) => expiresAt > clock.now());
      await expect.poll(isDone).toBe(true);
      return [...new Set(web.requests.map((url) => new URL(url).hostname.split('.')[0] ?? ''))].sort();
    };
    expect(await requested()).toEqual([]);
    await clock.advance(2 * HOUR);
    expect(await requested()).toEqual(['away']);
    await clock.advance(DAY);
    expect(await requested()).toEqual(['away', 'none']);
    // A server that is away does not take the icon away; another icon replaces it.
    await clock.advance(7 * DAY);
    web.pages.set('https://png.example/favicon.ico', 'away');
    expect(await requested()).toContain('png');
    expect(await icons.hashes(all)).toEqual(new Map([['png', hash]]));
    await clock.advance(2 * HOUR);
    web.pages.set('https://png.example/favicon.ico', OTHER);
    expect(await requested()).toContain('png');
    expect((await icons.hashes(all)).get('png')).not.toBe(hash);
    expect(announced).toBe(2);
  });

  it('R24 another process finds them in the store, and sources of one place share a search', async () => {
    const clock = new ManualClock();
    const web = new Web();
    const store = new MemoryStore();
    web.pages.set('https://tube.example/favicon.ico', ICO);
    const all = ['a', 'b', 'c'].map((id) => ({ ...at('tube'), id }));
    {
      await using icons = new SourceIcons({ store, fetcher: web, clock, log: silentLogger });
      await icons.hashes(all);
      await expect.poll(() => store.pictures.size).toBe(3);
    }
    expect(web.requests).toEqual(['https://tube.example', 'https://tube.example/favicon.ico']);
    await using again = new SourceIcons({ store, fetcher: web, clock, log: silentLogger });
    expect(await again.hashes(all)).toEqual(new Map(all.map(({ id }) => [id, HASH])));
    expect(web.requests).toHaveLength(2);
  });
});
