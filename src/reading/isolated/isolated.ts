/**
 * A place for work on data that may be built to do harm: parsing pages and PDFs. What happens there, it ends in time
 * and takes nobody with it.
 */
export interface Isolated extends AsyncDisposable {
  /** Whether it takes up anything at the moment. */
  readonly running: boolean;
  /** Runs one task after those before it. Rejects with the signal's reason when the caller gives up. */
  run<T>(
    task: IsolatedTask,
    input: unknown,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<IsolatedOutcome<T>>;
}

/** A module whose default export does the work. It is loaded where it runs, at its first use. */
export type IsolatedTask = URL;

/** How a piece of work on foreign data ended. A page that kills its place of work is an outcome, not an error. */
export type IsolatedOutcome<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'timeout' }
  /** It ran out of memory or stack, or broke in a way it did not expect itself. */
  | { readonly outcome: 'crashed'; readonly detail: string };
