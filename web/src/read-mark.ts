import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.ts';
import type { TimelineKind } from './live-timeline.ts';
import { keep, kept } from './local-storage.ts';
import { me } from './session.ts';

/**
 * Where the reader stopped: the drop at the top of the screen when the page was left. A guest's mark is kept in the
 * browser, a signed-in person's by the newsroom, so that it is the same on every device.
 */
const marks = new Map<string, Signal<string | null>>();

export function markOf(kind: TimelineKind): Signal<string | null> {
  const name = `${me.value?.userId ?? 'guest'} ${kind}`;
  const known = marks.get(name);
  if (known) return known;
  const mark = signal(me.value === null ? kept(`mark.${kind}`) : null);
  marks.set(name, mark);
  if (me.value !== null) {
    api.marks
      .read(kind)
      .then(({ position }) => {
        mark.value = position;
      })
      .catch(() => {
        // Without the mark the news is shown from the top, as always.
      });
  }
  return mark;
}

/** Keeps the place when the reader goes to another page, another tab, or away. */
export function useMarkOnLeaving(kind: TimelineKind): void {
  useEffect(() => {
    const leave = (): void => {
      const top = topmost();
      if (top === null) return;
      if (me.value === null) keep(`mark.${kind}`, top);
      else api.marks.set(kind, top).catch(() => undefined);
    };
    const hidden = (): void => {
      if (document.hidden) leave();
    };
    document.addEventListener('visibilitychange', hidden);
    addEventListener('pagehide', leave);
    return () => {
      document.removeEventListener('visibilitychange', hidden);
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [kind]);
}

function topmost(): string | null {
  for (const row of document.querySelectorAll<HTMLElement>('[data-drop]'))
    if (row.getBoundingClientRect().bottom > 120) return row.dataset.drop ?? null;
  return null;
}
