import type { ComponentChildren } from 'preact';
import type { Movement } from '../../../src/item/learned.ts';
import type { EntryState } from '../../../src/reader/entry-store.ts';
import type { NamedSource, OtherEntry } from '../reader/api.ts';
import { markRead, react, toggleLater, toggleRead, toggleStar } from '../reader/changes.ts';
import { density, pictures } from '../reader/preferences.ts';
import { articleHref, readerHref } from '../reader/scope.ts';
import { type StatefulEntry, stateOf } from '../reader/states.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';
import { LearnedRules } from './learned-rules.tsx';
import { Menu } from './menu.tsx';
import { When } from './relative-time.tsx';
import { SourceIcon } from './source-icon.tsx';
import { StoryTools } from './story-tools.tsx';
import { Foreign, languageOf, webAddress } from './text.tsx';

/** An entry of a list, or a drop of a timeline that is about one. */
export interface RowEntry extends StatefulEntry {
  readonly title: string;
  readonly url: string | null;
  readonly excerpt: string | null;
  readonly image: string | null;
  /** What the list is ordered by. */
  readonly at: number;
  readonly points: number | null;
  readonly others: readonly OtherEntry[];
  /** Who brought it besides its sources: pipelines and people. */
  readonly by?: readonly string[];
  readonly whyHref?: string | undefined;
  readonly sourceCount?: number | undefined;
  /** What the reader's own reactions did to its place. */
  readonly learned?: Movement | undefined;
  /** Whether its story can be split and joined here. */
  readonly editable?: boolean;
}

interface EntryRowProps {
  readonly entry: RowEntry;
  /** Entries up to this one, in the order of the list. */
  readonly above: () => readonly StatefulEntry[];
  /** Marks words of a search. */
  readonly mark?: ((text: string) => ComponentChildren) | undefined;
  readonly class?: string;
}

export function EntryRow({ entry, above, mark, ...props }: EntryRowProps) {
  const w = words.value.reader;
  const state = stateOf(entry);
  const [source] = entry.sources;
  const title = entry.title || w.entry.untitled;
  const labelled = `t-${entry.id}`;
  const excerpt = density.value === 'compact' ? null : entry.excerpt;
  return (
    <article
      id={`e-${entry.id}`}
      class={`entry entry-${density.value}${state.read ? ' entry-read' : ''} ${props.class ?? ''}`}
      data-row
      data-unread={state.read ? undefined : ''}
      tabIndex={-1}
      aria-labelledby={labelled}
    >
      {pictures.value === 'on' && density.value !== 'compact' && entry.image !== null && (
        <img class="entry-picture" src={entry.image} alt="" loading="lazy" decoding="async" />
      )}
      <div class="entry-body">
        <p class="entry-meta">
          {source !== undefined && (
            <a class="entry-source" href={readerHref({ source: source.id })}>
              <SourceIcon id={source.id} name={source.name} />
              <Foreign text={source.name} most={60} />
            </a>
          )}
          {entry.by?.map((name) => (
            <span key={name} class="entry-by">
              <Foreign text={name} most={60} />
            </span>
          ))}
          <When at={entry.at} />
          {entry.sourceCount !== undefined && entry.sourceCount > 1 && (
            <b class="entry-hot">{w.entry.told(entry.sourceCount)}</b>
          )}
          {entry.points !== null && <span>{w.entry.points(entry.points)}</span>}
        </p>
        <h3 class="entry-title" id={labelled} lang={languageOf(title)}>
          {!state.read && me.value !== null && <span class="visually-hidden">{w.entry.isUnread}: </span>}
          <a href={articleHref(entry.id)} data-open>
            {mark ? mark(title) : <Foreign text={title} most={300} />}
          </a>
        </h3>
        {excerpt !== null && excerpt !== '' && (
          <p class="entry-excerpt" lang={languageOf(excerpt)}>
            {mark ? mark(excerpt) : <Foreign text={excerpt} most={400} />}
          </p>
        )}
        {density.value !== 'compact' && entry.learned !== undefined && (
          <LearnedRules rules={entry.learned.rules} who="you" />
        )}
        <Elsewhere entry={entry} />
      </div>
      <EntryActions entry={entry} above={above} title={title} state={state} />
    </article>
  );
}

/** "2 more sources", and which. */
function Elsewhere({ entry }: { readonly entry: RowEntry }) {
  const w = words.value.reader;
  const more: readonly NamedSource[] = entry.sources.slice(1);
  const n = more.length + entry.others.length;
  if (n === 0) return null;
  return (
    <details class="elsewhere">
      <summary>{w.entry.moreSources(n)}</summary>
      <ul>
        {more.map((source) => (
          <li key={source.id}>
            <a href={readerHref({ source: source.id })}>
              <SourceIcon id={source.id} name={source.name} /> <Foreign text={source.name} most={60} />
            </a>
          </li>
        ))}
        {entry.others.map((other) => (
          <li key={other.id}>
            <a href={articleHref(other.id)}>
              {other.sources[0] !== undefined && (
                <>
                  <SourceIcon id={other.sources[0].id} name={other.sources[0].name} />{' '}
                  <b>
                    <Foreign text={other.sources[0].name} most={60} />
                  </b>{' '}
                </>
              )}
              <Foreign text={other.title} most={160} />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface EntryActionsProps extends EntryRowProps {
  readonly title: string;
  readonly state: EntryState;
}

function EntryActions({ entry, above, title, state }: EntryActionsProps) {
  const w = words.value.reader;
  const original = webAddress(entry.url);
  return (
    <div class="entry-actions">
      {me.value !== null && <StateButtons entry={entry} title={title} />}
      <Menu class="menu-end" name={`${w.entry.more}: ${title.slice(0, 80)}`} label={<Icon name="more" />}>
        {me.value !== null && (
          <>
            <button type="button" class="menu-item menu-narrow" onClick={() => void toggleRead(entry)}>
              {state.read ? w.entry.unread : w.entry.read}
            </button>
            <button type="button" class="menu-item menu-narrow" onClick={() => void toggleLater(entry)}>
              {state.laterAt === null ? w.entry.later : w.entry.notLater}
            </button>
            <button type="button" class="menu-item" onClick={() => void markRead(above(), w.mark.done)}>
              {w.mark.above}
            </button>
            <LearningItems entry={entry} />
          </>
        )}
        {original !== null && (
          <a class="menu-item" href={original} target="_blank" rel="noopener noreferrer" data-original>
            {w.entry.original} <span class="visually-hidden">{w.entry.newTab}</span>
          </a>
        )}
        {entry.editable && (
          <StoryTools id={entry.id} title={title} isShared={entry.others.length > 0} class="menu-item" />
        )}
        {entry.whyHref !== undefined && (
          <a class="menu-item" href={entry.whyHref} data-why>
            {w.entry.why}
          </a>
        )}
      </Menu>
    </div>
  );
}

/** "More like this" and "less like this", for a menu. */
export function LearningItems({ entry }: { readonly entry: StatefulEntry }) {
  const w = words.value.reader.learning;
  return (
    <>
      {(['more', 'less'] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          class="menu-item"
          data-learn={kind}
          onClick={() => void react(entry, kind)}
        >
          {w[kind]}
        </button>
      ))}
    </>
  );
}

/** Read, star and "read later" of one entry. */
export function StateButtons({ entry, title }: { readonly entry: StatefulEntry; readonly title: string }) {
  const w = words.value.reader.entry;
  const { read, starredAt, laterAt } = stateOf(entry);
  const about = title.slice(0, 80);
  return (
    <>
      <button
        type="button"
        class="tool act"
        data-act="read"
        title={read ? w.unread : w.read}
        aria-label={`${read ? w.unread : w.read}: ${about}`}
        onClick={() => void toggleRead(entry)}
      >
        <Icon name={read ? 'unread' : 'check'} />
      </button>
      <button
        type="button"
        class="tool act"
        data-act="star"
        aria-pressed={starredAt !== null}
        title={starredAt === null ? w.star : w.unstar}
        aria-label={`${w.star}: ${about}`}
        onClick={() => void toggleStar(entry)}
      >
        <Icon name="star" filled={starredAt !== null} />
      </button>
      <button
        type="button"
        class="tool act"
        data-act="later"
        aria-pressed={laterAt !== null}
        title={laterAt === null ? w.later : w.notLater}
        aria-label={`${w.later}: ${about}`}
        onClick={() => void toggleLater(entry)}
      >
        <Icon name="later" filled={laterAt !== null} />
      </button>
    </>
  );
}
