import { type Dispatched, type DispatchParts, dispatch } from '../dispatch.ts';
import type { Publisher } from '../publisher.ts';

/** Everything that is due at one destination, for tests. */
export async function dispatchAll(
  publisher: Publisher,
  parts: DispatchParts,
  signal?: AbortSignal,
): Promise<Dispatched[]> {
  const all: Dispatched[] = [];
  for await (const done of dispatch(publisher, parts, signal)) all.push(done);
  return all;
}
