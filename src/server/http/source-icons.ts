import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Fetcher } from '../../fetch/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { sniffImageType } from './image-routes.ts';
import { notFound } from './problem.ts';
import { addRoute } from './route.ts';

export interface SourceIconsOptions {
  /** The guarded fetcher, which cannot reach internal addresses. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
}

interface Icon {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

interface CachedIcon {
  /** `null`: the site has none, or it is being fetched. */
  readonly icon: Icon | null;
  readonly expiresAt: number;
}

const MAX_ICON_BYTES = 50_000;
const MAX_CACHED_BYTES = 20_000_000;
const FETCH_CONCURRENCY = 4;
const FETCH_TIMEOUT_MS = 10_000;
const FOUND_TTL_MS = 7 * DAY;
const MISSING_TTL_MS = 12 * HOUR;

/**
 * Icons of the sites of sources, fetched in the background and kept in memory, so that no other server learns who reads what. A site whose
 * icon is not known yet has none: a page never asks for an icon in vain.
 */
export class SourceIcons implements AsyncDisposable {
  readonly #options: SourceIconsOptions;
  readonly #limit = pLimit(FETCH_CONCURRENCY);
  readonly #cached = new Map<string, CachedIcon>();
  readonly #byHash = new Map<string, Icon>();
  readonly #pending = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #bytes = 0;

  constructor(options: SourceIconsOptions) {
    this.#options = options;
  }

  /** Path of the icon of a site; `null` while it is not known. */
  pathOf(site: string | null): string | null {
    if (site === null) return null;
    const now = this.#options.clock.now();
    const known = this.#cached.get(site);
    if (known === undefined || known.expiresAt <= now) this.#fetch(site, known?.icon ?? null);
    return known?.icon == null ? null : `/api/v1/icons/${known.icon.hash}`;
  }

  find(hash: string): Icon | null {
    return this.#byHash.get(hash) ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#pending);
  }

  #fetch(site: string, before: Icon | null): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const { fetcher, clock } = this.#options;
    // Keeps later calls from fetching it again meanwhile.
    this.#cached.set(site, { icon: before, expiresAt: clock.now() + MISSING_TTL_MS });
    const work = this.#limit(async () => {
      if (signal.aborted) return;
      const outcome = await fetcher.fetch(
        {
          url: new URL('/favicon.ico', site).href,
          headers: { accept: 'image/png,image/x-icon,image/*' },
          maxBytes: MAX_ICON_BYTES,
          timeoutMs: FETCH_TIMEOUT_MS,
          // Must not delay the polling of a feed on the same host.
          polite: false,
        },
        signal,
      );
      if (outcome.outcome === 'response' && outcome.status === 200) this.#store(site, outcome.body);
    });
    // A site that cannot be reached has no icon.
    const done = work.catch(() => {}).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  #store(site: string, bytes: Uint8Array): void {
    const type = sniffImageType(bytes) ?? (isIco(bytes) ? 'image/x-icon' : null);
    if (type === null || this.#bytes + bytes.length > MAX_CACHED_BYTES) return;
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    const icon = this.#byHash.get(hash) ?? { type, bytes, hash };
    if (!this.#byHash.has(hash)) this.#bytes += bytes.length;
    this.#byHash.set(hash, icon);
    this.#cached.set(site, { icon, expiresAt: this.#options.clock.now() + FOUND_TTL_MS });
  }
}

function isIco(bytes: Uint8Array): boolean {
  return bytes.length > 6 && bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 1 && bytes[3] === 0;
}

/** `/icons/<hash>`: the icon of the site of a source. */
export function iconRoutes(server: FastifyInstance, icons: Pick<SourceIcons, 'find'>): void {
  addRoute(
    server,
    {
      method: 'GET',
      url: '/icons/:hash',
      about: 'The icon of a source, by the path in its `icon`.',
      group: 'Reader',
      access: 'everybody',
      params: z.object({ hash: z.string().max(64, 'is too long') }),
      answer: z.string().describe('The picture itself.'),
      mediaType: 'image/*',
      problems: [404],
    },
    async ({ params, reply }) => {
      const icon = icons.find(params.hash);
      if (icon === null) throw notFound('such icon');
      return reply
        .headers({
          'cache-control': 'public, max-age=604800, immutable',
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .type(icon.type)
        .send(Buffer.from(icon.bytes));
    },
  );
}
