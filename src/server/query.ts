import { z } from 'zod';
import { badRequest, type FieldProblem } from './problem.ts';

/** Reads a request's query; every problem at once, each with its field. */
export function readQuery<T extends z.ZodType>(schema: T, query: unknown): z.infer<T> {
  const read = schema.safeParse(query);
  if (read.success) return read.data;
  throw badRequest(read.error.issues.flatMap(toProblems));
}

function toProblems(issue: z.core.$ZodIssue): readonly FieldProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((field) => ({ field, detail: 'is not known here' }));
  return [{ field: issue.path.join('.'), detail: issue.message }];
}

/** A page's size. */
export function limitUpTo(most: number, usual: number) {
  const message = `must be a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .pipe(z.number().int().min(1, message).max(most, message))
    .default(usual)
    .describe(`How many, 1 to ${most}; ${usual} where absent.`);
}

/** Where an earlier answer ended. */
export function cursorOf(longest: number) {
  return z
    .string()
    .max(longest, 'is not a cursor from an earlier answer')
    .optional()
    .describe('`next` of an earlier answer.');
}

/** A comma-separated list of known words. */
export function wordsOf<const T extends string>(words: readonly T[]) {
  const read = z.string().transform((text, context): readonly T[] => {
    const asked = text.split(',').map((word) => word.trim());
    const known = asked.filter((word): word is T => (words as readonly string[]).includes(word));
    if (known.length !== asked.length)
      context.addIssue({
        code: 'custom',
        message: `must be one or more of ${words.join(', ')}, with commas between`,
      });
    return known;
  });
  return read.describe(
    `One or more of ${words.map((word) => `\`${word}\``).join(', ')}, with commas between.`,
  );
}

/** Reads a request's body in the same way. */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined || body === null)
    throw badRequest([{ field: 'body', detail: 'is missing: send JSON' }]);
  return readQuery(schema, body);
}
