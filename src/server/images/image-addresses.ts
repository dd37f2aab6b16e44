import { createHmac, timingSafeEqual } from 'node:crypto';

/** Addresses of pictures as our own pages use them. Only what was signed here is fetched, so that nobody can use us to fetch. */
export class ImageAddresses {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** `null` where it is no web address. */
  pathFor(url: string | undefined): string | null {
    if (url === undefined || url.length > 2000 || !/^https?:\/\//i.test(url)) return null;
    return `/api/v1/image?${new URLSearchParams({ u: url, s: this.#sign(url) }).toString()}`;
  }

  isOurs(url: string, signature: string): boolean {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#sign(url))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #sign(url: string): string {
    return createHmac('sha256', this.#key).update(url).digest('base64url').slice(0, 32);
  }
}
