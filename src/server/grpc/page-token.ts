import { invalid } from './status.ts';

/** A page's size as asked for; the usual one where it is 0. */
export function sizeOf(field: string, asked: number, most: number, usual = most): number {
  if (asked === 0) return usual;
  if (asked < 0 || asked > most) throw invalid(field, `must be a whole number from 1 to ${most}`);
  return asked;
}

/** The last entry of the page before, made opaque so that nobody builds one. */
export function encodeToken(last: string): string {
  return Buffer.from(`1:${last}`).toString('base64url');
}

/** `undefined` for the first page. */
export function decodeToken(token: string): string | undefined {
  if (token === '') return undefined;
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith('1:') || text.length > 300 || encodeToken(text.slice(2)) !== token)
    throw invalid('page_token', 'must come from the answer before');
  return text.slice(2);
}

/** One page of a list that is read one longer than asked for. */
export function cut<T>(
  found: readonly T[],
  size: number,
  keyOf: (entry: T) => string,
): { readonly page: T[]; readonly nextPageToken: string } {
  const page = found.slice(0, size);
  const last = page.at(-1);
  return { page, nextPageToken: found.length > size && last !== undefined ? encodeToken(keyOf(last)) : '' };
}
