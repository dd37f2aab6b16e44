import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, offlineSince } from './api.ts';
import { useRead, useTitle } from './hooks.ts';
import { lazyPage } from './lazy-page.tsx';
import { current, TIMELINE_PATHS } from './live-timeline.ts';
import { NewsroomPage } from './pages/newsroom.tsx';
import { ReaderPage } from './pages/reader.tsx';
import { KeysDialog } from './parts/keys-dialog.tsx';
import { TopBar } from './parts/masthead.tsx';
import { Loading, Notice } from './parts/notice.tsx';
import { BottomBar, Sidebar } from './parts/sidebar.tsx';
import { Toast } from './parts/toast.tsx';
import { listening } from './reader/live.ts';
import { refreshOverview } from './reader/overview.ts';
import { waiting } from './reader/waiting.ts';
import { place } from './router.ts';
import { guests, me, meKnown, openSession } from './session.ts';
import { relative } from './time.ts';
import { words } from './words/words.ts';

const SignInPage = lazyPage(async () => (await import('./pages/sign-in.tsx')).SignInPage);

/** The pages by path; those that a reader needs first are in the first script. */
const PAGES: Readonly<Record<string, ComponentType>> = {
  '/': () => <NewsroomPage kind="local" />,
  '/home': () => <NewsroomPage kind="home" />,
  '/global': () => <NewsroomPage kind="global" />,
  '/reader': ReaderPage,
  '/article': lazyPage(async () => (await import('./pages/article.tsx')).ArticlePage),
  '/search': lazyPage(async () => (await import('./pages/search.tsx')).SearchPage),
  '/stories': titled(
    'stories',
    lazyPage(async () => (await import('./pages/stories.tsx')).StoriesPage),
  ),
  '/people': titled(
    'people',
    lazyPage(async () => (await import('./pages/people.tsx')).MembersPage),
  ),
  '/pipelines': titled(
    'pipelines',
    lazyPage(async () => (await import('./pages/pipelines.tsx')).PipelinesPage),
  ),
  '/items': titled(
    'items',
    lazyPage(async () => (await import('./pages/items.tsx')).ItemsPage),
  ),
  '/item': titled(
    'items',
    lazyPage(async () => (await import('./pages/item.tsx')).ItemPage),
  ),
  '/sources': titled(
    'sources',
    lazyPage(async () => (await import('./pages/sources.tsx')).SourcesPage),
  ),
  '/attention': titled(
    'attention',
    lazyPage(async () => (await import('./pages/attention.tsx')).AttentionPage),
  ),
  '/settings': titled(
    'settings',
    lazyPage(async () => (await import('./pages/settings.tsx')).SettingsPage),
  ),
  '/me': titled(
    'account',
    lazyPage(async () => (await import('./pages/account.tsx')).AccountPage),
  ),
};

/** Open where nothing else is, because people come in by them. */
const ENTRANCES: Readonly<Record<string, ComponentType>> = {
  '/welcome': titled(
    'account',
    lazyPage(async () => (await import('./pages/welcome.tsx')).WelcomePage),
  ),
  '/sign-in': titled('signIn', SignInPage),
};

export function App() {
  const { value: newsroom } = useRead('newsroom', (signal) => api.newsroom(signal));
  useEffect(() => void openSession(), []);
  useEffect(() => {
    if (meKnown.value) void refreshOverview();
  }, [meKnown.value, me.value?.userId]);
  useTimelineStream();
  const w = words.value;
  return (
    <>
      <a class="skip" href="#main">
        {w.skip}
      </a>
      <TopBar newsroom={newsroom} />
      <div class="frame">
        <Sidebar />
        <main id="main" tabIndex={-1}>
          {newsroom?.sample && <p class="sample">{w.sample}</p>}
          <Offline />
          <Page />
          <footer class="colophon">
            <p>Kawaraban {newsroom?.version ?? ''}</p>
          </footer>
        </main>
      </div>
      <Toast />
      <BottomBar />
      <KeysDialog />
    </>
  );
}

/** A browser has only a few connections for each server: where the reader has its own stream, the timeline's is open only on timelines. */
function useTimelineStream(): void {
  const news = current.value;
  const { path } = place.value;
  const mayRead = meKnown.value && (me.value !== null || (guests.value && news.kind !== 'home'));
  const listens = mayRead && (!listening.value || TIMELINE_PATHS.includes(path));
  useEffect(() => {
    if (listens) void news.open();
    else news.pause();
  }, [news, listens, me.value]);
}

function Offline() {
  const w = words.value;
  const stored = offlineSince.value;
  const news = current.value;
  const disconnected = news.status.value === 'offline' && news.drops.value !== null;
  const changes = waiting.value.length;
  const isOffline = stored !== null || disconnected;
  if (!isOffline && changes === 0) return null;
  return (
    <div class="offline" role="alert">
      {isOffline && (
        <p>
          <b>{stored === null ? w.offlineTitle : w.reader.offline}</b>{' '}
          {stored === null ? w.offlineMore : w.reader.offlineStored(relative(stored))}
        </p>
      )}
      {changes > 0 && <p>{w.reader.waiting(changes)}</p>}
    </div>
  );
}

function Page() {
  const { path } = place.value;
  const Entrance = ENTRANCES[path];
  if (Entrance) return <Entrance />;
  if (!meKnown.value) return <Loading />;
  if (me.value === null && !guests.value) return <SignInPage />;
  const Shown = PAGES[path] ?? LostPage;
  return <Shown key={path} />;
}

function titled(
  name:
    | 'stories'
    | 'people'
    | 'pipelines'
    | 'items'
    | 'sources'
    | 'attention'
    | 'settings'
    | 'account'
    | 'signIn',
  Shown: ComponentType,
): ComponentType {
  return function TitledPage() {
    useTitle(words.value.reader.nav[name]);
    return <Shown />;
  };
}

function LostPage() {
  const w = words.value;
  useTitle(w.lostTitle);
  return (
    <Notice title={w.lostTitle}>
      <p>
        <a href="/">{w.lostMore}</a>
      </p>
    </Notice>
  );
}
