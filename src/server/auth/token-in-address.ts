import { ProblemError } from '../problem.ts';

/** An address ends up in logs and histories, so no secret is ever taken from one (X7). */
export function refuseTokenInAddress(query: unknown): void {
  if (typeof query !== 'object' || query === null) return;
  const named = Object.keys(query).find((key) => /token|secret|authorization|api_?key|password/i.test(key));
  if (named === undefined) return;
  throw new ProblemError({
    status: 400,
    title: 'A token does not belong in an address',
    detail: 'Send it in the Authorization header, or use the session cookie.',
    errors: [{ field: named.slice(0, 40), detail: 'is not taken from the address' }],
  });
}
