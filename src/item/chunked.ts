/** A list in parts of at most `size`. */
export function chunked<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += size) parts.push(all.slice(from, from + size));
  return parts;
}
