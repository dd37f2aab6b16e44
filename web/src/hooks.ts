import { effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from './api.ts';
import { asApiError } from './live-timeline.ts';
import { lastOpened } from './reader/reading-order.ts';
import { returned } from './router.ts';

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

const titleParts = signal<readonly string[]>([]);

/** The title of the document: what it shows, then where, then the name of the program. */
export function useTitle(...shown: readonly string[]): void {
  useLayoutEffect(() => {
    titleParts.value = shown;
  }, [shown.join('\n')]);
}

effect(() => {
  document.title = [...titleParts.value, 'Kawaraban'].join(' – ');
});

/** After Back the focus is on the entry that was opened (R18). */
export function useFocusAfterBack(entryIds: readonly number[]): void {
  const done = useRef(!returned.value || lastOpened.value === null);
  const there = lastOpened.value !== null && entryIds.includes(lastOpened.value);
  useEffect(() => {
    if (done.current || !there) return;
    done.current = true;
    let frame = 0;
    // The scroll position is restored in the next frame; the rows around it are there after that.
    const inFrames = (left: number): void => {
      frame = requestAnimationFrame(() => {
        const row = document.getElementById(`e-${lastOpened.value}`);
        if (row === null && left > 0) return inFrames(left - 1);
        row?.focus({ preventScroll: true });
        row?.scrollIntoView({ block: 'nearest' });
      });
    };
    frame = requestAnimationFrame(() => inFrames(20));
    return () => cancelAnimationFrame(frame);
  }, [there]);
}
