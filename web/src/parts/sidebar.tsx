import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SavedSearch } from '../../../src/reader/entry-store.ts';
import { overview } from '../reader/overview.ts';
import { readerHref, searchHref } from '../reader/scope.ts';
import { place } from '../router.ts';
import { me } from '../session.ts';
import { wide } from '../wide.ts';
import { words } from '../words/words.ts';
import { Icon, type IconName } from './icon.tsx';
import { LookTools } from './look-tools.tsx';
import { Count, isShown, NavLink } from './nav-link.tsx';
import { SourceTree } from './source-tree.tsx';

export const drawerOpen = signal(false);

/** Beside the page where there is room, else in a drawer. */
export function Sidebar() {
  if (!wide.value) return <Drawer />;
  return (
    <nav class="sidebar" aria-label={words.value.reader.nav.label}>
      <Links />
    </nav>
  );
}

function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = drawerOpen.value;
  const w = words.value.reader;
  const { path, query } = place.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  useEffect(() => {
    drawerOpen.value = false;
  }, [path, query.toString()]);
  useEffect(() => {
    const element = dialog.current;
    // A click on the backdrop hits the dialog itself.
    const clicked = (event: Event): void => {
      if (event.target === element) drawerOpen.value = false;
    };
    element?.addEventListener('click', clicked);
    return () => element?.removeEventListener('click', clicked);
  }, []);
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={w.nav.menu}
      onClose={() => {
        drawerOpen.value = false;
      }}
    >
      {open && (
        <div class="drawer-body">
          <button
            type="button"
            class="tool drawer-close"
            aria-label={w.nav.close}
            onClick={() => {
              drawerOpen.value = false;
            }}
          >
            <Icon name="close" />
          </button>
          <div class="drawer-tools">
            <LookTools />
          </div>
          <nav aria-label={w.nav.label}>
            <Links />
          </nav>
        </div>
      )}
    </dialog>
  );
}

function Links() {
  const w = words.value.reader;
  const all = overview.value;
  const signedIn = me.value !== null;
  const isOwner = me.value?.role === 'owner';
  return (
    <>
      <Group title={w.nav.reader}>
        <NavLink href="/home" icon="home" text={w.nav.home} count={signedIn ? all?.unread.home : 0} />
        {signedIn && (
          <NavLink
            href={readerHref({ view: 'unread' })}
            icon="unread"
            text={w.nav.unread}
            count={all?.unread.all}
          />
        )}
        <NavLink href={readerHref({ view: 'all' })} icon="all" text={w.nav.all} />
        {signedIn && (
          <>
            <NavLink
              href={readerHref({ view: 'starred' })}
              icon="star"
              text={w.nav.starred}
              quiet
              count={all?.starred}
            />
            <NavLink
              href={readerHref({ view: 'later' })}
              icon="later"
              text={w.nav.later}
              quiet
              count={all?.later}
            />
          </>
        )}
        <NavLink href={readerHref({ view: 'hot' })} icon="hot" text={w.nav.hot} />
        <NavLink href="/search" icon="search" text={w.nav.search} />
      </Group>
      {all !== null && all.sources.length > 0 && (
        <div class="nav-group">
          <h2>{w.nav.folders}</h2>
          <SourceTree overview={all} />
        </div>
      )}
      {all !== null && all.searches.length > 0 && (
        <Group title={w.nav.searches}>
          {all.searches.map((search) => (
            <NavLink
              key={search.id}
              href={savedSearchHref(search)}
              icon="search"
              text={search.name}
              foreign
            />
          ))}
        </Group>
      )}
      <Group title={w.nav.newsroom}>
        <NavLink href="/" icon="newsroom" text={w.nav.local} />
        <NavLink href="/global" icon="global" text={w.nav.global} />
        <NavLink href="/stories" icon="stories" text={w.nav.stories} />
        <NavLink href="/people" icon="people" text={w.nav.people} />
      </Group>
      <Group title={w.nav.manage}>
        <NavLink href="/pipelines" icon="pipelines" text={w.nav.pipelines} />
        <NavLink href="/items" icon="items" text={w.nav.items} />
        <NavLink href="/sources" icon="sources" text={w.nav.sources} />
        {isOwner && <NavLink href="/attention" icon="attention" text={w.nav.attention} />}
        {signedIn && <NavLink href="/settings" icon="settings" text={w.nav.settings} />}
      </Group>
    </>
  );
}

export function savedSearchHref(search: SavedSearch): string {
  return searchHref({
    q: search.text,
    folder: search.folder ?? undefined,
    source: search.sourceId ?? undefined,
    view: search.unread ? 'unread' : undefined,
  });
}

function Group({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) {
  return (
    <div class="nav-group">
      <h2>{title}</h2>
      <ul>{children}</ul>
    </div>
  );
}

/** The lists that are used most, within the reach of a thumb. */
export function BottomBar() {
  const w = words.value.reader;
  if (wide.value) return null;
  const unread = readerHref({ view: me.value === null ? 'all' : 'unread' });
  const links: readonly (readonly [string, IconName, string, number])[] = [
    ['/home', 'home', w.nav.home, 0],
    [
      unread,
      me.value === null ? 'all' : 'unread',
      me.value === null ? w.nav.all : w.nav.unread,
      overview.value?.unread.all ?? 0,
    ],
    [readerHref({ view: 'later' }), 'later', w.nav.later, 0],
    ['/search', 'search', w.nav.search, 0],
  ];
  return (
    <nav class="bottom" aria-label={w.nav.reader}>
      {links.map(([href, icon, text, count]) => (
        <a key={href} href={href} aria-current={isShown(href) ? 'page' : undefined}>
          <Icon name={icon} />
          <span>{text}</span>
          {me.value !== null && <Count n={count} />}
        </a>
      ))}
      <button
        type="button"
        aria-expanded={drawerOpen.value}
        onClick={() => {
          drawerOpen.value = true;
        }}
      >
        <Icon name="menu" />
        <span>{w.nav.menu}</span>
      </button>
    </nav>
  );
}
