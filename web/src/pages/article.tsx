import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { detailParts, verdictParts } from '../detail-text.ts';
import { useRead, useTitle } from '../hooks.ts';
import { ArticleText } from '../parts/article-text.tsx';
import { Enclosures } from '../parts/enclosure-player.tsx';
import { LearningItems, StateButtons } from '../parts/entry-row.tsx';
import { Icon } from '../parts/icon.tsx';
import { LearnedRules } from '../parts/learned-rules.tsx';
import { Menu } from '../parts/menu.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { SourceIcon } from '../parts/source-icon.tsx';
import { StoryTools } from '../parts/story-tools.tsx';
import { Detail, Foreign, hostOf, languageOf, webAddress } from '../parts/text.tsx';
import { type EntryDetails, readerApi } from '../reader/api.ts';
import { finished, markOpened } from '../reader/changes.ts';
import { lastOpened, readingOrder } from '../reader/reading-order.ts';
import { articleHref, readerHref } from '../reader/scope.ts';
import { stateOf, withStates } from '../reader/states.ts';
import { storiesChanged } from '../reader/story-edits.ts';
import { place, replace } from '../router.ts';
import { problemText, reasonText } from '../server-text.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

/** Letters and words that are read in a minute. */
const LETTERS_PER_MINUTE = 500;
const WORDS_PER_MINUTE = 230;

/** One article, with its state, its other sources, and why it was chosen. */
export function ArticlePage() {
  const id = Number(place.value.query.get('id'));
  return <ArticleView key={id} id={id} />;
}

function ArticleView({ id }: { readonly id: number }) {
  const w = words.value.reader;
  const {
    value: entry,
    failure,
    again,
  } = useRead(`entry ${id}`, (signal) => withStates(readerApi.entry(id, signal), (found) => [found]));
  const regrouped = storiesChanged.value;
  useEffect(() => {
    if (regrouped > 0) again();
  }, [regrouped]);
  useTitle(entry === null ? w.article.loadingText : entry.title || w.entry.untitled);
  useEffect(() => {
    lastOpened.value = id;
  }, [id]);
  // Before anything can be pressed: marking it as unread again has to come after this.
  useLayoutEffect(() => {
    if (entry !== null && me.value !== null) markOpened(entry);
  }, [entry, me.value]);
  if (failure?.status === 404 || !Number.isSafeInteger(id))
    return (
      <>
        <ArticleBar id={id} entry={null} />
        <Notice title={w.article.unknown} />
      </>
    );
  return (
    <div class="article" data-article>
      <ArticleBar id={id} entry={entry} />
      {failure ? (
        <FailureNotice failure={failure} again={again} />
      ) : entry === null ? (
        <Loading />
      ) : (
        <Details entry={entry} />
      )}
    </div>
  );
}

/** Back to the list, the state of the entry, and its neighbours in the list. */
function ArticleBar({ id, entry }: { readonly id: number; readonly entry: EntryDetails | null }) {
  const w = words.value.reader;
  const order = readingOrder.value;
  const entries = order?.entries() ?? [];
  const at = entries.findIndex((one) => one.id === id);
  const lastOnes = order !== null && at !== -1 && at >= entries.length - 3;
  useEffect(() => {
    if (lastOnes) void order?.loadMore();
  }, [lastOnes, entries.length]);
  const unread = (one: (typeof entries)[number]): boolean => !stateOf(one).read;
  const before = at === -1 ? [] : entries.slice(0, at).toReversed();
  const after = at === -1 ? [] : entries.slice(at + 1);
  const original = webAddress(entry?.url ?? null);
  return (
    <div class="list-bar article-bar">
      <button
        type="button"
        class="tool"
        onClick={() => {
          if (order !== null && history.length > 1) history.back();
          else replace(readerHref({ view: 'all' }));
        }}
      >
        <Icon name="back" />
        <span>{order === null ? w.article.backAnywhere : w.article.back(order.title)}</span>
      </button>
      <div class="list-tools">
        {entry !== null && me.value !== null && <StateButtons entry={entry} title={entry.title} />}
        {original !== null && (
          <a
            class="tool"
            href={original}
            target="_blank"
            rel="noopener noreferrer"
            data-original
            title={w.entry.original}
            aria-label={`${w.entry.original} ${w.entry.newTab}`}
          >
            <Icon name="external" />
          </a>
        )}
        {entry !== null && me.value !== null && (
          <Menu class="menu-end" name={w.entry.more} label={<Icon name="more" />}>
            <LearningItems entry={entry} />
          </Menu>
        )}
        <Neighbour name="previous" icon="back" id={before[0]?.id} />
        <Neighbour name="next" icon="chevron" id={after[0]?.id} />
        <Neighbour name="previous-unread" id={before.find(unread)?.id} />
        <Neighbour name="next-unread" id={after.find(unread)?.id} />
      </div>
    </div>
  );
}

/** A link that takes the place of this article, so that Back leads to the list. Those to unread ones are for the keys alone. */
function Neighbour(props: {
  readonly name: 'previous' | 'next' | 'previous-unread' | 'next-unread';
  readonly icon?: 'back' | 'chevron';
  readonly id: number | undefined;
}) {
  const w = words.value.reader.article;
  if (props.id === undefined) return null;
  const href = articleHref(props.id);
  if (props.icon === undefined)
    return <button type="button" hidden data-go={props.name} onClick={() => replace(href)} />;
  const label = props.icon === 'back' ? w.previous : w.next;
  return (
    <a class="tool" data-replace data-go={props.name} href={href} title={label} aria-label={label}>
      <Icon name={props.icon} />
    </a>
  );
}

function Details({ entry }: { readonly entry: EntryDetails }) {
  const w = words.value.reader;
  const title = entry.title || w.entry.untitled;
  const original = webAddress(entry.url);
  const {
    value: article,
    failure,
    again,
  } = useRead(`article ${entry.id}`, (signal) => readerApi.article(entry.id, signal));
  const author = entry.author ?? article?.byline ?? null;
  return (
    <article aria-labelledby="article-title">
      <header class="article-head">
        <p class="entry-meta">
          {entry.sources.map((source) => (
            <a key={source.id} class="entry-source" href={readerHref({ source: source.id })}>
              <SourceIcon id={source.id} name={source.name} />
              <Foreign text={source.name} most={60} />
            </a>
          ))}
          {author !== null && author !== '' && (
            <span>
              <Foreign text={author} most={80} />
            </span>
          )}
          <When at={entry.publishedAt} />
          {article !== null && <span>{w.article.minutes(minutesOf(article.html))}</span>}
        </p>
        <h2 id="article-title" lang={languageOf(title)}>
          {original === null ? (
            <Foreign text={title} most={400} />
          ) : (
            <a href={original} target="_blank" rel="noopener noreferrer">
              <Foreign text={title} most={400} />
              <span class="visually-hidden"> {w.entry.newTab}</span>
            </a>
          )}
        </h2>
      </header>
      {entry.summary !== null && entry.summary !== '' && (
        <section class="article-summary" aria-labelledby="summary-title">
          <h3 id="summary-title">{w.article.summary}</h3>
          <p lang={languageOf(entry.summary)}>
            <Foreign text={entry.summary} most={4000} />
          </p>
        </section>
      )}
      <Enclosures enclosures={entry.enclosures} title={title} />
      {article !== null ? (
        article.html.trim() === '' ? (
          <NoText entry={entry} reason={w.article.noText} />
        ) : (
          <>
            <ArticleText html={article.html} language={entry.language} />
            {me.value !== null && <End entry={entry} minutes={minutesOf(article.html)} />}
          </>
        )
      ) : failure ? (
        <NoText
          entry={entry}
          reason={reasonOf(failure)}
          again={failure.offline || failure.status === 503 ? again : undefined}
        />
      ) : (
        <div class="article-loading" role="status">
          <span class="visually-hidden">{w.article.loadingText}</span>
          {entry.excerpt !== null && (
            <p lang={languageOf(entry.excerpt)}>
              <Foreign text={entry.excerpt} />
            </p>
          )}
          <Loading />
        </div>
      )}
      <Why entry={entry} />
      <Others entry={entry} />
      {original !== null && (
        <p class="article-original">
          <a class="button" href={original} target="_blank" rel="noopener noreferrer">
            {w.entry.original} · {hostOf(original)} <span class="visually-hidden">{w.entry.newTab}</span>
          </a>
        </p>
      )}
    </article>
  );
}

/** A text is read to its end only after a part of the time that it takes. */
const MIN_READ_SHARE = 0.1;

/** The end of the text: once it was in view, and not at once, the article counts as read to the end. */
function End({ entry, minutes }: { readonly entry: EntryDetails; readonly minutes: number }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const end = place.current;
    if (end === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readableAt = Date.now() + minutes * 60_000 * MIN_READ_SHARE;
    const observer = new IntersectionObserver(([seen]) => {
      clearTimeout(timer);
      if (seen?.isIntersecting !== true) return;
      timer = setTimeout(
        () => {
          observer.disconnect();
          void finished(entry);
        },
        Math.max(0, readableAt - Date.now()),
      );
    });
    observer.observe(end);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [entry.id]);
  return <div ref={place} data-end aria-hidden="true" />;
}

function NoText(props: {
  readonly entry: EntryDetails;
  readonly reason: string;
  readonly again?: (() => void) | undefined;
}) {
  const w = words.value;
  const { excerpt } = props.entry;
  return (
    <>
      {excerpt !== null && (
        <p class="article-text" lang={languageOf(excerpt)}>
          <Foreign text={excerpt} />
        </p>
      )}
      <div class="article-failed" role="status">
        <p>
          <b>{w.reader.article.failed}</b> {props.reason}
        </p>
        {props.again && (
          <button type="button" class="button button-small" onClick={props.again}>
            {w.again}
          </button>
        )}
      </div>
    </>
  );
}

function reasonOf(failure: ApiError): string {
  return failure.offline ? words.value.reader.article.offline : problemText(failure);
}

function Why({ entry }: { readonly entry: EntryDetails }) {
  const w = words.value.reader;
  const own = entry.learned?.rules ?? [];
  if (entry.why.length === 0 && own.length === 0 && entry.story === null) return null;
  return (
    <section class="article-section" aria-labelledby="why-title" data-why tabIndex={-1}>
      <h3 id="why-title">{w.article.why}</h3>
      <ul>
        {own.length > 0 && (
          <li data-learned>
            <b>{w.view.orders.for_you}</b>
            <LearnedRules rules={own} who="you" />
          </li>
        )}
        {entry.why.map((one) => (
          <li key={one.pipeline}>
            <b>
              <Foreign text={one.pipelineName} most={80} />
            </b>{' '}
            {statusText(one)}
            {one.detail !== null && one.detail !== '' && (
              <>
                {' '}
                <span class="quiet">
                  <Detail
                    parts={
                      one.mentions === undefined
                        ? detailParts(one.detail, one.reason)
                        : verdictParts({ ...one, reason: one.detail }, one.reason)
                    }
                  />
                </span>
              </>
            )}
            {one.learned !== undefined && <LearnedRules rules={one.learned.rules} who="people" />}
          </li>
        ))}
        {entry.story !== null && (
          <li data-story-reason>
            <b>{w.story.title}</b> <Foreign text={w.story.why(entry.story)} most={1000} />
          </li>
        )}
      </ul>
    </section>
  );
}

/** "Rejected: score 67 is below the minimum 70", in the reader's language. */
function statusText(why: EntryDetails['why'][number]): string {
  const w = words.value;
  const reason = reasonText({ reason: why.reason, verdict: why });
  return reason === '' ? w.states[why.state] : w.stateWithReason(w.states[why.state], reason);
}

function Others({ entry }: { readonly entry: EntryDetails }) {
  const w = words.value.reader;
  const isShared = entry.others.length > 0;
  const tools = (
    <p class="story-tools">
      <StoryTools id={entry.id} title={entry.title} isShared={isShared} class="link" />
    </p>
  );
  if (!isShared) return me.value?.role === 'owner' ? tools : null;
  return (
    <section class="article-section" aria-labelledby="others-title">
      <h3 id="others-title">{w.article.others}</h3>
      <ul>
        {entry.others.map((other) => (
          <li key={other.id}>
            {other.sources.slice(0, 1).map((source) => (
              <span key={source.id} class="entry-source">
                <SourceIcon id={source.id} name={source.name} />
                <Foreign text={source.name} most={60} />
              </span>
            ))}{' '}
            <a href={articleHref(other.id)} lang={languageOf(other.title)}>
              <Foreign text={other.title || w.entry.untitled} most={200} />
            </a>{' '}
            <span class="quiet">
              <When at={other.publishedAt} />
            </span>
          </li>
        ))}
      </ul>
      {tools}
    </section>
  );
}

function minutesOf(html: string): number {
  const text = html.replace(/<[^>]*>/g, ' ');
  const letters = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
  const others = text.match(/[\p{sc=Latin}\p{N}]+/gu)?.length ?? 0;
  return Math.max(1, Math.round(letters / LETTERS_PER_MINUTE + others / WORDS_PER_MINUTE));
}
