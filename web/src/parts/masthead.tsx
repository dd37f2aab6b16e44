import type { NewsroomBody } from '../../../src/server/http/newsroom-routes.ts';
import { keysOpen } from '../keyboard.ts';
import { current } from '../live-timeline.ts';
import { place } from '../router.ts';
import { me } from '../session.ts';
import { switchTheme, theme } from '../theme.ts';
import { now, sheetDate } from '../time.ts';
import { switchTongue, tongue, words } from '../words/words.ts';
import { Seal } from './logo.tsx';
import { Foreign } from './text.tsx';

const PAGES = [
  ['/', 'newsroom'],
  ['/stories', 'stories'],
  ['/search', 'search'],
  ['/people', 'people'],
] as const;

const CONTROL = [
  ['/pipelines', 'pipelines'],
  ['/items', 'items'],
  ['/sources', 'sources'],
] as const;

/** Only the owner finds anything there. */
const OWNERS = [
  ['/desk', 'desk'],
  ['/settings', 'settings'],
] as const;

/** Pages that stand under the name of another one. */
const SHOWN_AS: Readonly<Record<string, string>> = { '/item': '/items', '/home': '/', '/global': '/' };

export function Masthead({ newsroom }: { readonly newsroom: NewsroomBody | null }) {
  const w = words.value;
  return (
    <header class="masthead">
      <div class="masthead-line">
        <p class="masthead-date">
          <time dateTime={new Date(now.value).toISOString().slice(0, 10)}>{sheetDate(now.value)}</time>
        </p>
        <div class="masthead-tools">
          <button
            type="button"
            class="tool"
            lang={tongue.value === 'ja' ? 'en' : 'ja'}
            onClick={switchTongue}
          >
            {w.switchTongue}
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
          <a class="tool" href={me.value === null ? '/sign-in' : '/me'}>
            {me.value === null ? w.signIn : <Foreign text={me.value.name} most={40} />}
          </a>
          <button
            type="button"
            class="tool tool-keys"
            onClick={() => {
              keysOpen.value = true;
            }}
          >
            {w.keysButton} <kbd>?</kbd>
          </button>
        </div>
      </div>
      <h1>
        <a class="masthead-title" href="/">
          <Seal />
          <span class="masthead-name">Kawaraban</span>
          {newsroom && newsroom.name !== 'Kawaraban' && <span class="masthead-room">{newsroom.name}</span>}
        </a>
      </h1>
    </header>
  );
}

export function Navigation() {
  const w = words.value;
  const path = SHOWN_AS[place.value.path] ?? place.value.path;
  const status = current.value.status.value;
  return (
    <nav class="nav" aria-label={w.nav.label}>
      <ul>
        {[...PAGES, ...CONTROL, ...(me.value?.role === 'owner' ? OWNERS : [])].map(([href, name]) => (
          <li key={href}>
            <a href={href} aria-current={path === href ? 'page' : undefined}>
              {w.nav[name]}
            </a>
          </li>
        ))}
      </ul>
      <p class={`live live-${status}`} role="status">
        <span class="live-dot" aria-hidden="true" />
        <span class="live-words">{w.live[status]}</span>
      </p>
    </nav>
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
