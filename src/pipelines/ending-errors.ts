/**
 * How far an error reaches, as it says of itself by a field `stops` (A16): after `program` nothing gets better until a
 * person acts, after `run` the next run may do better. An error without the field fails what was under way and no more.
 */
export type Reach = 'program' | 'run';

/** Of an error, of what caused it, and of all that it gathers. */
export function reachOf(error: unknown): Reach | null {
  let reach: Reach | null = null;
  for (const one of withCauses(error)) {
    const stops = 'stops' in one ? one.stops : null;
    if (stops === 'program') return stops;
    if (stops === 'run') reach = stops;
  }
  return reach;
}

export function stopsProgram(error: unknown): boolean {
  return reachOf(error) === 'program';
}

function* withCauses(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* withCauses(error.cause);
  if (error instanceof AggregateError) for (const each of error.errors) yield* withCauses(each);
}
