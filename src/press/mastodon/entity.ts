/** The JSON of an answer, numbers called `id` as the text they were written in: some servers count theirs beyond what a number can hold. */
export function entityIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body), (key, value: unknown, ...[context]: unknown[]) =>
      key === 'id' && typeof value === 'number' ? sourceOf(context, value) : value,
    );
  } catch {
    return undefined;
  }
}

/** The ID of a status or an account; `null` where there is none. */
export function idOf(entity: unknown): string | null {
  if (typeof entity !== 'object' || entity === null || !('id' in entity)) return null;
  return typeof entity.id === 'string' && entity.id !== '' ? entity.id : null;
}

function sourceOf(context: unknown, value: number): string {
  const source =
    typeof context === 'object' && context !== null && 'source' in context ? context.source : undefined;
  return typeof source === 'string' ? source : String(value);
}
