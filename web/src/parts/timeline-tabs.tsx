import { TIMELINES, type TimelineKind } from '../live-timeline.ts';
import { words } from '../words/words.ts';

export const TIMELINE_PATHS: Readonly<Record<TimelineKind, string>> = {
  home: '/home',
  local: '/',
  global: '/global',
};

export function TimelineTabs({ shown }: { readonly shown: TimelineKind }) {
  const w = words.value;
  return (
    <nav class="tabs" aria-label={w.timelines.label}>
      <ul>
        {TIMELINES.map((kind) => (
          <li key={kind}>
            <a href={TIMELINE_PATHS[kind]} aria-current={kind === shown ? 'page' : undefined}>
              {w.timelines[kind]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
