import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { words } from '../words/words.ts';
import { When } from './relative-time.tsx';
import { StateBar } from './state-bar.tsx';
import { Foreign } from './text.tsx';

/** How the pipelines are doing, beside the news. */
export function PipelineSummary() {
  const w = words.value;
  const { value } = useRead('pipelines', (signal) => api.pipelines(signal), 15_000);
  return (
    <aside class="pipeline-summary" aria-labelledby="pipeline-summary-title">
      <h2 id="pipeline-summary-title" class="section-title">
        {w.pipelinesNow}
      </h2>
      {value?.pipelines.map((pipeline) => (
        <section key={pipeline.id} class="pipeline-summary-row">
          <h3>
            <a href={`/items?${new URLSearchParams({ pipeline: pipeline.id })}`}>
              <Foreign text={pipeline.name} />
            </a>
          </h3>
          <p class={`state state-${pipeline.state}`}>{w.pipelineStates[pipeline.state]}</p>
          <StateBar counts={pipeline.counts.byState} />
          <p class="pipeline-summary-next">
            {w.nextRun} <When at={pipeline.nextRunAt} never={w.byHand} />
          </p>
        </section>
      ))}
    </aside>
  );
}
