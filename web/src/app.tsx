import { useEffect } from 'preact/hooks';
import { api } from './api.ts';
import { current } from './live-timeline.ts';
import { MePage } from './pages/account.tsx';
import { DeskPage } from './pages/attention.tsx';
import { ItemPage } from './pages/item.tsx';
import { ItemsPage } from './pages/items.tsx';
import { NewsroomPage } from './pages/newsroom.tsx';
import { PeoplePage } from './pages/people.tsx';
import { PipelinesPage } from './pages/pipelines.tsx';
import { SearchPage } from './pages/search.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SourcesPage } from './pages/sources.tsx';
import { StoriesPage } from './pages/stories.tsx';
import { WelcomePage } from './pages/welcome.tsx';
import { KeysDialog } from './parts/keys-dialog.tsx';
import { Masthead, Navigation } from './parts/masthead.tsx';
import { Loading, Notice } from './parts/notice.tsx';
import { place } from './router.ts';
import { guests, me, meKnown, openSession } from './session.ts';
import { useRead } from './use-read.ts';
import { words } from './words/words.ts';

export function App() {
  const { value: newsroom } = useRead('newsroom', (signal) => api.newsroom(signal));
  const news = current.value;
  useEffect(() => void openSession(), []);
  const mayRead = meKnown.value && (me.value !== null || (guests.value && news.kind !== 'home'));
  useEffect(() => {
    if (mayRead) void news.open();
  }, [news, mayRead, me.value]);
  const w = words.value;
  const count = news.waitingCount.value;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Kawaraban` : 'Kawaraban';
  }, [count]);
  return (
    <>
      <a class="skip" href="#main">
        {w.skip}
      </a>
      <Masthead newsroom={newsroom} />
      <Navigation />
      <main id="main" tabIndex={-1}>
        {newsroom?.sample && <p class="sample">{w.sample}</p>}
        {news.status.value === 'offline' && news.drops.value !== null && (
          <div class="offline" role="alert">
            <p>
              <b>{w.offlineTitle}</b> {w.offlineMore}
            </p>
          </div>
        )}
        <Entrance />
      </main>
      <footer class="colophon">
        <p>Kawaraban {newsroom?.version ?? ''}</p>
      </footer>
      <KeysDialog />
    </>
  );
}

/** The pages by which people come in; they are open where nothing else is. */
function Entrance() {
  if (place.value.path === '/welcome') return <WelcomePage />;
  if (place.value.path === '/sign-in') return <SignInPage />;
  if (!meKnown.value) return <Loading />;
  if (me.value === null && !guests.value) return <SignInPage />;
  return <Page />;
}

function Page() {
  const w = words.value;
  switch (place.value.path) {
    case '/search':
      return <SearchPage />;
    case '/people':
      return <PeoplePage />;
    case '/desk':
      return <DeskPage />;
    case '/settings':
      return <SettingsPage />;
    case '/stories':
      return <StoriesPage />;
    case '/me':
      return <MePage />;
    case '/':
      return <NewsroomPage kind="local" />;
    case '/home':
      return <NewsroomPage kind="home" />;
    case '/global':
      return <NewsroomPage kind="global" />;
    case '/pipelines':
      return <PipelinesPage />;
    case '/items':
      return <ItemsPage />;
    case '/item':
      return <ItemPage />;
    case '/sources':
      return <SourcesPage />;
    default:
      return (
        <Notice title={w.lostTitle}>
          <p>
            <a href="/">{w.lostMore}</a>
          </p>
        </Notice>
      );
  }
}
