import { useState } from 'preact/hooks';
import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { api } from '../api.ts';
import { parsePath } from '../folders.ts';
import { useRead } from '../hooks.ts';
import { FollowButton } from '../parts/follow-button.tsx';
import { Form } from '../parts/form.tsx';
import { FailureNotice, Loading } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { type SourceDraft, SourceFields } from '../parts/source-fields.tsx';
import { SourceError } from '../parts/source-row.tsx';
import { SourceTools } from '../parts/source-tools.tsx';
import { Foreign, webAddress } from '../parts/text.tsx';
import { refreshOverviewSoon } from '../reader/overview.ts';
import { readerHref } from '../reader/scope.ts';
import { go } from '../router.ts';
import { healthOf } from '../server-text.ts';
import { me } from '../session.ts';
import { language, words } from '../words/words.ts';

/** One source: health, polls, use, and for the owner its settings. */
export function SourcePage({ id }: { readonly id: string }) {
  const w = words.value.manage.sources;
  const { value, failure, again } = useRead(`source ${id}`, (signal) => api.source.read(id, signal), 15_000);
  return (
    <section aria-labelledby="page-title">
      <p class="back">
        <a href="/sources">
          <span aria-hidden="true">← </span>
          {w.back}
        </a>
      </p>
      {failure && !value && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value && <Source source={value} changed={again} />}
    </section>
  );
}

function Source({ source, changed }: { readonly source: SourceStatus; readonly changed: () => void }) {
  const w = words.value.manage.sources;
  const health = healthOf(source);
  const isOwner = me.value?.role === 'owner';
  return (
    <>
      <div class="source-head">
        <h2 id="page-title" class="section-title">
          <Foreign text={source.name} most={200} />
        </h2>
        {source.userId !== null && <FollowButton userId={source.userId} name={source.name} />}
      </div>
      <p>
        <span class={`health health-${health}`}>{w.health[health]}</span>{' '}
        <span class="quiet">{w.healthMore[health]}</span>
      </p>
      <SourceError source={source} />
      <p class="source-entries">
        <a class="button" href={readerHref({ source: source.id })}>
          {w.showEntries}
        </a>
      </p>
      <Facts source={source} />
      {isOwner && (
        <>
          <SourceTools source={source} changed={changed} removed={() => go('/sources')} />
          {source.origin === 'file' && <p class="quiet">{w.removeInFile}</p>}
          <Edit key={source.id} source={source} changed={changed} />
        </>
      )}
    </>
  );
}

/** A kind of a plugin has no words here. */
function kindText(kind: string): string {
  const kinds: Readonly<Record<string, string>> = words.value.manage.sources.kinds;
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? kind;
}

function Facts({ source }: { readonly source: SourceStatus }) {
  const w = words.value.manage.sources;
  const { record, quota } = source;
  const site = webAddress(source.url);
  const facts: readonly (readonly [string, preact.ComponentChildren])[] = [
    [w.lastPoll, <When key="at" at={record?.lastTriedAt ?? null} never={w.neverPolled} />],
    [w.lastSuccess, <When key="at" at={record?.lastSuccessAt ?? null} never={w.neverPolled} />],
    [w.nextPoll, <When key="at" at={source.nextAt} never={w.notScheduled} />],
    [w.entries, w.entryCount(record?.itemsSeen ?? 0)],
    [w.usedBy, <Foreign key="by" text={source.pipelines.join(', ') || w.usedByNone} most={300} />],
    [w.folder, <Foreign key="in" text={source.folders.join(' / ') || w.noFolder} most={200} />],
    [w.origin, w.origins[source.origin]],
    [w.kind, kindText(source.kind)],
    ...(quota === null
      ? []
      : [
          [
            w.quota,
            `${quota.used.toLocaleString(language.value)} / ${quota.limit.toLocaleString(language.value)}`,
          ] as const,
        ]),
    ...(record?.movedTo == null ? [] : [[w.movedTo, <Foreign key="to" text={record.movedTo} />] as const]),
  ];
  return (
    <dl class="facts source-details">
      {site !== null && (
        <div class="facts-wide">
          <dt>{w.address}</dt>
          <dd>
            <a href={site} target="_blank" rel="noopener noreferrer">
              <Foreign text={site} most={300} />
              <span class="visually-hidden"> {words.value.opensElsewhere}</span>
            </a>
          </dd>
        </div>
      )}
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Edit({ source, changed }: { readonly source: SourceStatus; readonly changed: () => void }) {
  const w = words.value.manage.sources;
  const { value } = useRead('pipelines', (signal) => api.pipelines(signal));
  const [draft, setDraft] = useState<SourceDraft>({
    name: source.name,
    folder: source.folders.join('/'),
    pipelines: source.assignedPipelines,
  });
  const [saved, setSaved] = useState(false);
  return (
    <section class="item-section" aria-labelledby="edit-title">
      <h3 id="edit-title">{w.settings}</h3>
      <Form
        button={words.value.save}
        send={async () => {
          setSaved(false);
          await api.source.change(source.id, {
            name: draft.name,
            folders: parsePath(draft.folder),
            pipelines: draft.pipelines,
          });
          setSaved(true);
          refreshOverviewSoon();
          changed();
        }}
      >
        {(problem) => (
          <SourceFields
            id="edit"
            draft={draft}
            change={(next) => {
              setSaved(false);
              setDraft(next);
            }}
            pipelines={value?.pipelines ?? []}
            configured={source.pipelines.filter((id) => !source.assignedPipelines.includes(id))}
            problem={problem}
          />
        )}
      </Form>
      <p class="done" role="status">
        {saved && w.saved}
      </p>
    </section>
  );
}
