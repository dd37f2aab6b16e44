import type { ItemBody } from '../../../src/server/http/newsroom-routes.ts';
import { api } from '../api.ts';
import { detailParts, verdictParts } from '../detail-text.ts';
import { useRead } from '../hooks.ts';
import { ActionProblem, useAction } from '../parts/action.tsx';
import { LearnedRules } from '../parts/learned-rules.tsx';
import { FailureNotice, Loading } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { Detail, Foreign, languageOf, webAddress } from '../parts/text.tsx';
import { place } from '../router.ts';
import { reasonText } from '../server-text.ts';
import { me } from '../session.ts';
import { fullTime, relative, stamp } from '../time.ts';
import { words } from '../words/words.ts';

export function ItemPage() {
  const w = words.value;
  const pipeline = place.value.query.get('pipeline') ?? '';
  const key = place.value.query.get('key') ?? '';
  const { value, failure, again } = useRead(
    `${pipeline} ${key}`,
    (signal) => api.item(pipeline, key, signal),
    15_000,
  );
  return (
    <div class="item">
      <p class="back">
        <a href={`/items?${new URLSearchParams({ pipeline })}`}>
          <span aria-hidden="true">← </span>
          {w.backToItems}
        </a>
      </p>
      {failure && !value && <FailureNotice failure={failure} again={again} />}
      {!failure && !value && <Loading />}
      {value && <ItemSheet body={value} again={again} />}
    </div>
  );
}

function ItemSheet({ body, again }: { readonly body: ItemBody; readonly again: () => void }) {
  const w = words.value;
  const { item } = body;
  const href = webAddress(item.url);
  const reason = reasonText(item);
  // Of a judged item the detail is the judge's sentence, which stands under "Why".
  const isTold =
    item.state === 'published' || item.state === 'accepted' || item.detail === item.verdict?.reason;
  const detail = isTold ? '' : (item.detail ?? '');
  return (
    <article data-row tabIndex={-1} aria-labelledby="page-title">
      <header class="item-head">
        <p class={`mark mark-${item.state}`}>{w.states[item.state]}</p>
        <h2 id="page-title" lang={languageOf(item.title)}>
          <Foreign text={item.title || w.untitled} />
        </h2>
        <p class="item-line">
          {w.carriedBy}{' '}
          {[...new Set([item.sourceName, ...body.alsoSeenIn])].map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <Foreign text={name} />
            </span>
          ))}
          {' · '}
          <When at={item.publishedAt} />
        </p>
        {(reason !== '' || detail !== '' || item.dueAt !== null) && (
          <p class="item-standing">
            <b>{reason === '' ? w.states[item.state] : w.stateWithReason(w.states[item.state], reason)}</b>
            {detail !== '' && (
              <>
                {' · '}
                <Detail parts={detailParts(detail, item.reason)} />
              </>
            )}
            {item.attempts > 0 && ` · ${w.attempts(item.attempts)}`}
            {item.dueAt !== null && ` · ${w.dueAgain(relative(item.dueAt))}`}
          </p>
        )}
        {href !== null && (
          <p>
            <a class="button" href={href} target="_blank" rel="noopener noreferrer" data-open>
              {w.open}
              <span class="visually-hidden"> {w.opensElsewhere}</span>
            </a>
          </p>
        )}
        {me.value?.role === 'owner' && <Decide body={body} again={again} />}
      </header>
      <div class="item-columns">
        <div>
          {item.image !== null && (
            <img class="item-image" src={item.image} alt="" loading="lazy" decoding="async" />
          )}
          <Section title={w.summaryTitle}>
            {item.verdict?.summary ? (
              <p class="item-summary" lang={languageOf(item.verdict.summary)}>
                <Foreign text={item.verdict.summary} most={5000} />
              </p>
            ) : item.excerpt ? (
              <p class="item-summary" lang={languageOf(item.excerpt)}>
                <Foreign text={item.excerpt} most={5000} />
              </p>
            ) : (
              <p class="quiet">{w.noSummary}</p>
            )}
          </Section>
          <Section title={w.historyTitle}>
            <History body={body} />
          </Section>
        </div>
        <div>
          <Section title={w.whyTitle}>
            <Why body={body} />
          </Section>
          <Section title={w.deliveriesTitle}>
            <Deliveries body={body} />
          </Section>
        </div>
      </div>
    </article>
  );
}

/** What a person may still do with it, by where it stands. */
function Decide({ body, again }: { readonly body: ItemBody; readonly again: () => void }) {
  const w = words.value;
  const { item, pipeline } = body;
  const action = useAction(again);
  const decide = (decision: 'retry' | 'park' | 'sent' | 'drop') => () =>
    action.run(() => api.decide(pipeline, item.key, decision));
  const choices = [
    ...(['failed', 'parked', 'rejected', 'deferred'].includes(item.state) ? (['retry'] as const) : []),
    ...(item.state === 'parked' ? (['sent', 'drop'] as const) : []),
    ...(['waiting', 'deferred', 'accepted'].includes(item.state) ? (['park'] as const) : []),
  ];
  if (choices.length === 0) return null;
  const names = { retry: w.retry, park: w.hold, sent: w.markSent, drop: w.discard };
  return (
    <>
      <p class="line-tools">
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            class="button button-small"
            disabled={action.busy}
            onClick={decide(choice)}
          >
            {names[choice]}
          </button>
        ))}
      </p>
      <ActionProblem action={action} />
    </>
  );
}

function Section(props: { readonly title: string; readonly children: preact.ComponentChildren }) {
  return (
    <section class="item-section">
      <h3>{props.title}</h3>
      {props.children}
    </section>
  );
}

function Why({ body }: { readonly body: ItemBody }) {
  const w = words.value;
  const { verdict } = body.item;
  if (!verdict) return <p class="quiet">{w.notJudged}</p>;
  return (
    <>
      {verdict.score !== null && (
        <svg class="score" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar-ground" width="100" height="6" />
          <rect class="score-ink" width={Math.min(100, Math.max(0, verdict.score))} height="6" />
        </svg>
      )}
      <p class="score-words">{w.score(verdict.score)}</p>
      <p>
        <Detail parts={verdictParts(verdict)} />
      </p>
      {verdict.learned !== undefined && <LearnedRules rules={verdict.learned.rules} who="people" />}
      {verdict.topics.length > 0 && (
        <ul class="topics" aria-label={w.topics}>
          {verdict.topics.map((topic) => (
            <li key={topic}>
              <Foreign text={topic} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        <Foreign text={w.judgedBy(verdict.judge, verdict.model)} /> · <When at={verdict.madeAt} />
        {verdict.provisional && ` · ${w.provisional}`}
      </p>
    </>
  );
}

/** Steps of which it matters who took them; the others are taken by workers with names for machines. */
const BY_PEOPLE: readonly string[] = ['requeue', 'markSent', 'drop'];

function History({ body }: { readonly body: ItemBody }) {
  const w = words.value;
  return (
    <ol class="history">
      {body.history.map((line) => {
        const reason = reasonText({ ...line, verdict: line.verdict ?? null });
        return (
          <li key={`${line.at} ${line.event}`}>
            <time dateTime={new Date(line.at).toISOString()} title={fullTime(line.at)}>
              {stamp(line.at)}
            </time>
            <p>
              <b>{w.events[line.event] ?? line.event}</b>
              {reason !== '' && `: ${reason}`}
              <Notes notes={line.notes} />
              <StepDetail line={line} />
              {line.who !== null && BY_PEOPLE.includes(line.event) && (
                <span class="quiet">
                  {' · '}
                  <Foreign text={line.who} />
                </span>
              )}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

/** A publication names its destinations; the detail of a verdict is its reason. */
function StepDetail({ line }: { readonly line: ItemBody['history'][number] }) {
  const { event, detail, reason, verdict } = line;
  if (detail === null) return null;
  const parts = verdict?.reason === detail ? verdictParts(verdict, reason) : detailParts(detail, reason);
  if (parts.length === 0) return null;
  return (
    <span class="history-detail">
      {event === 'publish' ? <Foreign text={detail} /> : <Detail parts={parts} />}
    </span>
  );
}

/** Of the facts of a step, those that tell a reader something: which source, which destination, how it went. */
function Notes({ notes }: { readonly notes: ItemBody['history'][number]['notes'] }) {
  const w = words.value;
  const outcome = Object.entries(w.deliveries).find(([state]) => state === notes.outcome)?.[1];
  const told = [notes.source, notes.destination, outcome].filter((part) => typeof part === 'string');
  if (told.length === 0) return null;
  return (
    <span class="quiet">
      {' · '}
      <Foreign text={told.join(', ')} />
    </span>
  );
}

function Deliveries({ body }: { readonly body: ItemBody }) {
  const w = words.value;
  if (body.deliveries.length === 0) return <p class="quiet">{w.noDeliveries}</p>;
  return (
    <ul class="deliveries">
      {body.deliveries.map((delivery) => {
        const href = webAddress(delivery.remoteUrl);
        return (
          <li key={delivery.destination}>
            <b>
              {href === null ? (
                <Foreign text={delivery.destination} />
              ) : (
                <a href={href} target="_blank" rel="noopener noreferrer">
                  <Foreign text={delivery.destination} />
                </a>
              )}
            </b>{' '}
            {w.deliveries[delivery.state]} <When at={delivery.updatedAt} />
            {delivery.detail !== null && (
              <p class="quiet">
                <Detail parts={detailParts(delivery.detail)} />
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
