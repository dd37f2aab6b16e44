import { badRequest, ProblemError } from '../problem.ts';

const USER_PROBLEMS: Readonly<Record<string, { readonly status: number; readonly title: string }>> = {
  unknown: { status: 404, title: 'Not found' },
  taken: { status: 409, title: 'The name is taken' },
  blocked: { status: 409, title: 'Blocked' },
};

/** The refusals of the social store as answers. They are known by their names: the server knows the store by its types alone. */
export async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw problemOf(error) ?? error;
  }
}

function problemOf(error: unknown): ProblemError | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'DropError' && 'field' in error) {
    const field = String(error.field);
    return badRequest([{ field, detail: error.message.replace(`${field}: `, '') }]);
  }
  if (error.name === 'UserError' && 'problem' in error) {
    const known = USER_PROBLEMS[String(error.problem)];
    return known === undefined
      ? badRequest([{ field: 'name', detail: error.message }])
      : new ProblemError({ ...known, detail: error.message });
  }
  if (/UnavailableError$/.test(error.name))
    return new ProblemError(
      {
        status: 503,
        title: 'Not now',
        detail: 'A part that is needed for this does not answer. Try again in a moment.',
      },
      { 'retry-after': '5' },
    );
  return null;
}
