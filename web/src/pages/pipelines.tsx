import { STATES } from '../../../src/item/lifecycle.ts';
import type { PipelineStatus } from '../../../src/server/http/newsroom.ts';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { FlowChart } from '../parts/flow-chart.tsx';
import { FollowButton } from '../parts/follow-button.tsx';
import { ItemRow } from '../parts/item-row.tsx';
import { JudgeSpends } from '../parts/judge-spend.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { PipelineInterests } from '../parts/pipeline-interests.tsx';
import { PauseButton, PipelineSettings } from '../parts/pipeline-settings.tsx';
import { When } from '../parts/relative-time.tsx';
import { RunNow } from '../parts/run-now.tsx';
import { StateBar } from '../parts/state-bar.tsx';
import { Foreign } from '../parts/text.tsx';
import { scheduleText } from '../server-text.ts';
import { me } from '../session.ts';
import { language, words } from '../words/words.ts';

export function PipelinesPage() {
  const w = words.value;
  const { value, failure, again } = useRead('pipelines', (signal) => api.pipelines(signal), 15_000);
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.reader.nav.pipelines}
      </h2>
      {failure && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value?.pipelines.length === 0 && (
        <Notice title={w.noPipelines}>
          <p>{w.noPipelinesMore}</p>
        </Notice>
      )}
      {value?.pipelines.map((pipeline) => (
        <PipelineSheet key={pipeline.id} pipeline={pipeline} again={again} />
      ))}
      <JudgeSpends />
    </section>
  );
}

function PipelineSheet({
  pipeline,
  again,
}: {
  readonly pipeline: PipelineStatus;
  readonly again: () => void;
}) {
  const w = words.value;
  const { lastRun } = pipeline;
  const isOwner = me.value?.role === 'owner';
  const numbers = Object.entries(lastRun?.numbers ?? {});
  return (
    <article class="pipeline" data-row tabIndex={-1} aria-labelledby={`p-${pipeline.id}`}>
      <header class="pipeline-head">
        <h3 id={`p-${pipeline.id}`}>
          <Foreign text={pipeline.name} />
        </h3>
        <p class={`state state-${pipeline.state}`}>{w.pipelineStates[pipeline.state]}</p>
        {pipeline.userId !== null && <FollowButton userId={pipeline.userId} name={pipeline.name} />}
        {isOwner && (
          <PauseButton
            pipeline={pipeline.id}
            name={pipeline.name}
            paused={pipeline.state === 'paused'}
            changed={again}
          />
        )}
        <p class="quiet">
          {w.kinds[pipeline.kind]} · <Foreign text={scheduleText(pipeline)} />
          {pipeline.minScore !== null && ` · ${w.manage.pipeline.minScore} ${pipeline.minScore}`}
        </p>
      </header>
      {pipeline.state === 'paused' && <p class="quiet">{w.manage.pipeline.pausedMore}</p>}
      {pipeline.detail !== null && (
        <p class="pipeline-detail">
          <Foreign text={pipeline.detail} />
        </p>
      )}
      <div class="pipeline-body">
        <dl class="facts">
          <div>
            <dt>{w.lastRun}</dt>
            <dd>
              <When at={lastRun?.startedAt ?? null} />
              {lastRun && <span class="quiet"> · {w.runOutcome[lastRun.outcome]}</span>}
              {numbers.length > 0 && (
                <span class="quiet numbers">
                  {numbers.map(([name, n]) => `${w.numbers[name] ?? name} ${n}`).join(' · ')}
                </span>
              )}
            </dd>
          </div>
          <div>
            <dt>{w.nextRun}</dt>
            <dd>
              <When at={pipeline.nextRunAt} never={w.byHand} />
            </dd>
          </div>
          <div class="facts-wide">
            <dt>{w.countsTitle}</dt>
            <dd>
              <StateBar counts={pipeline.counts.byState} />
              <ul class="counts">
                {STATES.map((state) => (
                  <li key={state}>
                    <a href={`/items?${new URLSearchParams({ pipeline: pipeline.id, state })}`}>
                      <b>{pipeline.counts.byState[state].toLocaleString(language.value)}</b> {w.states[state]}
                    </a>
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        </dl>
        <Decisions pipeline={pipeline.id} />
        {isOwner && (
          <>
            <FlowChart pipeline={pipeline.id} />
            <RunNow pipeline={pipeline.id} ended={again} />
            <details class="setting-more run">
              <summary>{w.manage.pipeline.settings}</summary>
              <PipelineSettings pipeline={pipeline.id} changed={again} />
            </details>
            {pipeline.kind === 'curate' && <PipelineInterests pipeline={pipeline.id} />}
          </>
        )}
      </div>
    </article>
  );
}

function Decisions({ pipeline }: { readonly pipeline: string }) {
  const w = words.value;
  const state = 'accepted,published,rejected,failed,parked,deferred';
  const { value } = useRead(
    `decisions ${pipeline}`,
    (signal) => api.items({ pipeline, state, limit: '5' }, signal),
    15_000,
  );
  return (
    <section class="decisions">
      <h4>{w.decisionsTitle}</h4>
      {value?.items.length === 0 && <p class="quiet">{w.noDecisions}</p>}
      <ul class="rows rows-small">
        {value?.items.map((item) => (
          <ItemRow key={item.key} item={item} pipeline={pipeline} small />
        ))}
      </ul>
      <p>
        <a href={`/items?${new URLSearchParams({ pipeline })}`}>{w.allItems}</a>
      </p>
    </section>
  );
}
