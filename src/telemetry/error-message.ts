/** The message of anything that was thrown, for logs, events and reports. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
