import { useEffect, useRef } from 'preact/hooks';
import { lastOpened } from './reader/reading-order.ts';
import { returned } from './router.ts';

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
