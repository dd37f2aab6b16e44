import { useTitle } from '../hooks.ts';
import { EntryListView } from '../parts/entry-list-view.tsx';
import { Notice } from '../parts/notice.tsx';
import { SourceHead } from '../parts/source-head.tsx';
import { overview, sourceOf, unreadOf } from '../reader/overview.ts';
import { unreadOnly } from '../reader/preferences.ts';
import { type Scope, scopeOf, type View } from '../reader/scope.ts';
import { place } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

/** Views that belong to a person. */
const PERSONAL: readonly View[] = ['unread', 'starred', 'later'];

/** A list of entries: of a view, a source or a folder. */
export function ReaderPage() {
  const w = words.value;
  const scope = scopeOf(place.value.query);
  const name = placeName(scope);
  const viewName = w.reader.nav[scope.view];
  const unread = me.value === null ? 0 : unreadOf(scope);
  const narrowed = name !== null && scope.view === 'all';
  const counted = scope.view === 'unread' || narrowed ? ` (${unread})` : '';
  const first = narrowed ? name : viewName;
  useTitle(unread > 0 ? first + counted : first, ...(name === null || narrowed ? [] : [name]));
  if (me.value === null && PERSONAL.includes(scope.view)) return <SignInFirst title={viewName} />;
  if (scope.source !== undefined && overview.value !== null && sourceOf(scope.source) === null)
    return <Notice title={w.reader.source.unknown} />;
  return (
    <EntryListView
      scope={scope}
      title={name ?? viewName}
      head={scope.source === undefined ? null : <SourceHead key={scope.source} id={scope.source} />}
      empty={<Empty scope={scope} />}
    />
  );
}

function placeName(scope: Scope): string | null {
  if (scope.source !== undefined) return sourceOf(scope.source)?.name ?? scope.source;
  return scope.folder ?? null;
}

function SignInFirst({ title }: { readonly title: string }) {
  const w = words.value.reader;
  const { path, query } = place.value;
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {title}
      </h2>
      <Notice title={w.signInFirst}>
        <p>{w.signInMore}</p>
        <a class="button" href={`/sign-in?${new URLSearchParams([['then', `${path}?${query}`]])}`}>
          {w.nav.signIn}
        </a>
      </Notice>
    </section>
  );
}

function Empty({ scope }: { readonly scope: Scope }) {
  const w = words.value.reader.empty;
  const narrowed = scope.source !== undefined || scope.folder !== undefined;
  const noSources = overview.value?.sources.length === 0;
  return (
    <Notice title={w[scope.view]}>
      <p>{w[`${scope.view}More`]}</p>
      {narrowed && scope.view === 'unread' && unreadOnly.value === 'on' && (
        <button
          type="button"
          class="button"
          onClick={() => {
            unreadOnly.value = 'off';
          }}
        >
          {w.showAll}
        </button>
      )}
      {noSources && me.value?.role === 'owner' && (
        <a class="button" href="/sources">
          {w.addSource}
        </a>
      )}
    </Notice>
  );
}
