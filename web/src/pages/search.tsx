import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SavedSearch } from '../../../src/reader/entry-store.ts';
import { useTitle } from '../hooks.ts';
import { ActionProblem, useAction } from '../parts/action.tsx';
import { EntryListView } from '../parts/entry-list-view.tsx';
import { markerFor } from '../parts/marked-text.tsx';
import { Notice } from '../parts/notice.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { savedSearchHref } from '../parts/sidebar.tsx';
import { Foreign } from '../parts/text.tsx';
import { readerApi } from '../reader/api.ts';
import { folderPath, overview, refreshOverview } from '../reader/overview.ts';
import { type Scope, scopeKey, scopeOf, searchHref } from '../reader/scope.ts';
import { adjust, place, returned } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

const DATES = ['any', '1', '7', '30', '365'] as const;
const STATES = ['all', 'unread', 'starred', 'later'] as const;

/** Full-text search over all entries, with filters and saved searches. */
export function SearchPage() {
  const w = words.value.reader;
  const scope = scopeOf(place.value.query);
  const { q } = scope;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!returned.value) box.current?.querySelector('input')?.focus();
  }, []);
  useTitle(...(q === undefined ? [w.search.title] : [q, w.search.title]));
  // What was typed is searched a moment later, when a filter may have changed.
  const change = (next: Readonly<Record<string, string | undefined>>): void =>
    adjust(searchHref({ ...paramsOf(scopeOf(place.value.query)), ...next }));
  return (
    <>
      <search ref={box} class="filter search-form">
        <SearchField label={w.search.box} value={q ?? ''} onSearch={(text) => change({ q: text })} />
        <Filters scope={scope} change={change} />
      </search>
      {q === undefined ? (
        <section aria-labelledby="page-title">
          <h2 id="page-title" class="visually-hidden">
            {w.search.title}
          </h2>
          <p class="quiet">{w.search.hint}</p>
          <SavedSearches />
        </section>
      ) : (
        <>
          {me.value !== null && <SaveSearch key={scopeKey(scope)} scope={scope} />}
          <EntryListView
            scope={scope}
            title={q}
            mark={markerFor(q)}
            empty={
              <Notice title={w.search.none}>
                <p>{w.search.noneMore}</p>
              </Notice>
            }
          />
        </>
      )}
    </>
  );
}

function paramsOf(scope: Scope): Readonly<Record<string, string | undefined>> {
  return {
    q: scope.q,
    source: scope.source,
    folder: scope.folder,
    view: scope.view === 'all' ? undefined : scope.view,
    days: scope.days === undefined ? undefined : String(scope.days),
  };
}

function Filters({
  scope,
  change,
}: {
  readonly scope: Scope;
  readonly change: (next: Readonly<Record<string, string | undefined>>) => void;
}) {
  const w = words.value.reader.search;
  const all = overview.value;
  const date = DATES.find((one) => one === String(scope.days)) ?? 'any';
  return (
    <>
      <Select
        label={w.folder}
        value={scope.folder ?? ''}
        choose={(folder) => change({ folder, source: undefined })}
        options={[
          ['', w.anyFolder],
          ...(all?.folders.map(({ path }): readonly [string, string] => [
            folderPath(path),
            path.join(' / '),
          ]) ?? []),
        ]}
      />
      <Select
        label={w.source}
        value={scope.source ?? ''}
        choose={(source) => change({ source, folder: undefined })}
        options={[
          ['', w.anySource],
          ...(all?.sources.map(({ id, name }): readonly [string, string] => [id, name]) ?? []),
        ]}
      />
      <Select
        label={w.date}
        value={date}
        choose={(days) => change({ days: days === 'any' ? undefined : days })}
        options={DATES.map((one) => [one, w.dates[one]])}
      />
      {me.value !== null && (
        <Select
          label={w.state}
          value={scope.view}
          choose={(view) => change({ view: view === 'all' ? undefined : view })}
          options={STATES.map((one) => [one, w.states[one]])}
        />
      )}
    </>
  );
}

function Select(props: {
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly options: readonly (readonly [string, string])[];
}) {
  return (
    <label>
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.choose(event.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function SaveSearch({ scope }: { readonly scope: Scope }) {
  const w = words.value.reader.search;
  const [name, setName] = useState<string | null>(null);
  const action = useAction();
  const href = searchHref({ ...paramsOf(scope), days: undefined });
  const saved = overview.value?.searches.some((search) => savedSearchHref(search) === href) ?? false;
  if (saved || scope.view === 'starred' || scope.view === 'later') return null;
  if (name === null)
    return (
      <p class="save-search">
        <button type="button" class="link" onClick={() => setName(scope.q ?? '')}>
          {w.save}
        </button>
      </p>
    );
  const save = async (): Promise<void> => {
    await readerApi.saveSearch({
      id: crypto.randomUUID(),
      name: name.trim() || (scope.q ?? ''),
      text: scope.q ?? '',
      folder: scope.folder ?? null,
      sourceId: scope.source ?? null,
      unread: scope.view === 'unread',
    });
    await refreshOverview();
  };
  return (
    <NameForm name={name} setName={setName} save={() => action.run(save)} cancel={() => setName(null)}>
      <span class="field-hint">{w.saveHint}</span>
      <ActionProblem action={action} />
    </NameForm>
  );
}

function NameForm(props: {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly save: () => void;
  readonly cancel: () => void;
  readonly children?: preact.ComponentChildren;
}) {
  const w = words.value.reader.search;
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <form
      class="save-search"
      onSubmit={(event) => {
        event.preventDefault();
        props.save();
      }}
    >
      <label>
        {w.name}{' '}
        <input
          ref={field}
          maxLength={80}
          value={props.name}
          onInput={(event) => props.setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button button-small">
        {w.apply}
      </button>
      <button type="button" class="button button-small" onClick={props.cancel}>
        {w.cancel}
      </button>
      {props.children}
    </form>
  );
}

function SavedSearches() {
  const w = words.value.reader.search;
  const searches = overview.value?.searches ?? [];
  if (searches.length === 0) return null;
  return (
    <section class="item-section" aria-labelledby="saved-title">
      <h3 id="saved-title">{w.saved}</h3>
      <ul>
        {searches.map((search) => (
          <SavedRow key={search.id} search={search} />
        ))}
      </ul>
    </section>
  );
}

function SavedRow({ search }: { readonly search: SavedSearch }) {
  const w = words.value.reader.search;
  const [name, setName] = useState<string | null>(null);
  const action = useAction();
  return (
    <li class="line" data-row tabIndex={-1}>
      {name === null ? (
        <>
          <a href={savedSearchHref(search)} data-open>
            <Foreign text={search.name} most={80} />
          </a>
          <p class="line-tools">
            <button type="button" class="button button-small" onClick={() => setName(search.name)}>
              {w.rename}
              <span class="visually-hidden">: {search.name}</span>
            </button>
            <button
              type="button"
              class="button button-small"
              onClick={() => {
                if (confirm(w.removeSure(search.name)))
                  action.run(() => readerApi.removeSearch(search.id).then(refreshOverview));
              }}
            >
              {w.remove}
              <span class="visually-hidden">: {search.name}</span>
            </button>
          </p>
        </>
      ) : (
        <NameForm
          name={name}
          setName={setName}
          cancel={() => setName(null)}
          save={() =>
            action.run(async () => {
              await readerApi.saveSearch({ ...search, name: name.trim() || search.name });
              await refreshOverview();
              setName(null);
            })
          }
        />
      )}
      <ActionProblem action={action} />
    </li>
  );
}
