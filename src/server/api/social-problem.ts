import { DropError, ServiceUnavailableError, UserError } from '../../social/refusals.ts';
import { TimelinesUnavailableError } from '../../timeline/unavailable.ts';
import { badRequest, ProblemError } from '../problem.ts';

const USER_PROBLEMS: Readonly<Record<string, { readonly status: number; readonly title: string }>> = {
  unknown: { status: 404, title: 'Not found' },
  taken: { status: 409, title: 'The name is taken' },
  blocked: { status: 409, title: 'Blocked' },
};

/** Answers what the social store refuses as a problem document. */
export async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw problemOf(error) ?? error;
  }
}

function problemOf(error: unknown): ProblemError | null {
  if (error instanceof DropError) {
    const { field } = error;
    return badRequest([{ field, detail: error.message.replace(`${field}: `, '') }]);
  }
  if (error instanceof UserError) {
    const known = USER_PROBLEMS[error.problem];
    return known === undefined
      ? badRequest([{ field: 'name', detail: error.message }])
      : new ProblemError({ ...known, detail: error.message });
  }
  if (error instanceof ServiceUnavailableError || error instanceof TimelinesUnavailableError)
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
