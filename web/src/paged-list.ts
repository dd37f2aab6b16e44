import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { asApiError } from './live-timeline.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** One list, read page by page. */
export interface Pages<Row> {
  /** What has come so far; `null` before the first page. */
  readonly rows: readonly Row[] | null;
  /** Where the next page begins; `null` at the end. */
  readonly next: string | null;
  /** Why the page that was asked for last did not come. */
  readonly failure: ApiError | null;
  /** Reads the next page, or again the one that did not come. */
  readonly more: () => Promise<void>;
}

/** Reads the first page when it is shown. Another list is another component: give it a key. */
export function usePages<Row>(
  read: (cursor: string | null, signal: AbortSignal) => Promise<Page<Row>>,
): Pages<Row> {
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const stop = useRef(new AbortController());

  const load = async (cursor: string | null): Promise<void> => {
    const { signal } = stop.current;
    try {
      const page = await read(cursor, signal);
      setRows((before) => [...(cursor === null ? [] : (before ?? [])), ...page.rows]);
      setNext(page.next);
      setFailure(null);
    } catch (error) {
      if (signal.aborted) return;
      // The list that this page belongs to is too long ago: begin with the list of now.
      if (cursor !== null && error instanceof ApiError && error.status === 410) return load(null);
      setFailure(asApiError(error));
    }
  };
  useEffect(() => {
    void load(null);
    return () => stop.current.abort();
  }, []);
  return { rows, next, failure, more: () => load(next) };
}
