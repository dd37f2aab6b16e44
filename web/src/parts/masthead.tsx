import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { NewsroomBody } from '../../../src/server/http/newsroom-routes.ts';
import { keysOpen } from '../keyboard.ts';
import { current } from '../live-timeline.ts';
import { readerStatus } from '../reader/live.ts';
import { me } from '../session.ts';
import { now, sheetDate } from '../time.ts';
import { wide } from '../wide.ts';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';
import { Seal } from './logo.tsx';
import { LookTools } from './look-tools.tsx';
import { drawerOpen } from './sidebar.tsx';
import { Foreign } from './text.tsx';

/** The large name is in sight, so the bar need not repeat it. */
const bannerShown = signal(false);

/** The compact bar on top of every page. */
export function TopBar({ newsroom }: { readonly newsroom: NewsroomBody | null }) {
  const w = words.value;
  return (
    <header class="bar">
      {!wide.value && (
        <button
          type="button"
          class="tool"
          aria-label={w.reader.nav.menu}
          aria-expanded={drawerOpen.value}
          onClick={() => {
            drawerOpen.value = true;
          }}
        >
          <Icon name="menu" />
        </button>
      )}
      <h1 class={bannerShown.value ? 'bar-name bar-name-quiet' : 'bar-name'}>
        <a href="/">
          <Seal />
          <span>Kawaraban</span>
          {newsroom && newsroom.name !== 'Kawaraban' && <span class="bar-room">{newsroom.name}</span>}
        </a>
      </h1>
      <div class="bar-tools">
        <Live />
        {wide.value && (
          <>
            <LookTools />
            <button
              type="button"
              class="tool"
              onClick={() => {
                keysOpen.value = true;
              }}
            >
              {w.reader.keysTitle} <kbd>?</kbd>
            </button>
          </>
        )}
        <a class="tool" href={me.value === null ? '/sign-in' : '/me'}>
          {me.value === null ? w.reader.nav.signIn : <Foreign text={me.value.name} most={40} />}
        </a>
      </div>
    </header>
  );
}

/** The head of the sheet, on top of the front page only. */
export function Banner() {
  const banner = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!banner.current) return;
    const seen = new IntersectionObserver(([entry]) => {
      bannerShown.value = entry?.isIntersecting ?? false;
    });
    seen.observe(banner.current);
    return () => {
      seen.disconnect();
      bannerShown.value = false;
    };
  }, []);
  return (
    <div ref={banner} class="banner">
      <Seal />
      <p class="banner-name" aria-hidden="true">
        Kawaraban
      </p>
      <p class="banner-date">
        <time dateTime={new Date(now.value).toISOString().slice(0, 10)}>{sheetDate(now.value)}</time>
      </p>
    </div>
  );
}

function Live() {
  const w = words.value;
  const status = readerStatus.value === 'paused' ? current.value.status.value : readerStatus.value;
  return (
    <p class={`live live-${status}`} role="status" title={w.live[status]}>
      <span class="live-dot" aria-hidden="true" />
      <span class="live-words">{w.live[status]}</span>
    </p>
  );
}
