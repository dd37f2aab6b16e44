/** Whether trouble may be over by the next try, so that a loop goes on. Errors say so themselves (`passes`). */
export function passes(error: unknown): boolean {
  return error instanceof Error && 'passes' in error && error.passes === true;
}
