import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from './api.ts';
import { asApiError } from './live-timeline.ts';

export interface Read<T> {
  readonly value: T | null;
  readonly failure: ApiError | null;
  readonly again: () => void;
}

/** Reads from the API when the page opens and, where wanted, repeatedly while the page is visible. */
export function useRead<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, everyMs = 0): Read<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    setValue(null);
  }, [key]);

  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      try {
        setValue(await ask(stop.signal));
        setFailure(null);
      } catch (error) {
        if (!stop.signal.aborted) setFailure(asApiError(error));
      }
    };
    void read();
    const timer = everyMs > 0 ? setInterval(() => void (document.hidden || read()), everyMs) : undefined;
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [key, turn]);

  return { value, failure, again: () => setTurn((n) => n + 1) };
}
