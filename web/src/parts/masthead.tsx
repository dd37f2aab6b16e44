import type { NewsroomBody } from '../../../src/server/http/newsroom-routes.ts';
import { keysOpen } from '../keyboard.ts';
import { current } from '../live-timeline.ts';
import { readerStatus } from '../reader/live.ts';
import { me } from '../session.ts';
import { switchTheme, theme } from '../theme.ts';
import { now, sheetDate } from '../time.ts';
import { wide } from '../wide.ts';
import { switchTongue, tongue, words } from '../words/words.ts';
import { Icon } from './icon.tsx';
import { Seal } from './logo.tsx';
import { drawerOpen } from './sidebar.tsx';
import { Foreign } from './text.tsx';

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
      <h1 class="bar-name">
        <a href="/">
          <Seal />
          <span>Kawaraban</span>
          {newsroom && newsroom.name !== 'Kawaraban' && <span class="bar-room">{newsroom.name}</span>}
        </a>
      </h1>
      <Live />
      <div class="bar-tools">
        <button type="button" class="tool" lang={tongue.value === 'ja' ? 'en' : 'ja'} onClick={switchTongue}>
          {w.switchLanguage}
        </button>
        <button
          type="button"
          class="tool"
          aria-label={w.theme[theme.value]}
          title={w.theme[theme.value]}
          onClick={switchTheme}
        >
          <ThemeMark />
        </button>
        {wide.value && (
          <button
            type="button"
            class="tool"
            onClick={() => {
              keysOpen.value = true;
            }}
          >
            {w.reader.keysTitle} <kbd>?</kbd>
          </button>
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
  return (
    <div class="banner">
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

function ThemeMark() {
  return (
    <svg class="theme-mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.6" />
      {theme.value !== 'light' && <path d="M10 2.8a7.2 7.2 0 0 1 0 14.4z" fill="currentColor" />}
      {theme.value === 'dark' && <path d="M10 2.8a7.2 7.2 0 0 0 0 14.4z" fill="currentColor" />}
    </svg>
  );
}
