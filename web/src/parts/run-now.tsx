import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../../src/scheduler/jobs.ts';
import type { RunReport } from '../../../src/scheduler/run-report.ts';
import { api } from '../api.ts';
import { detailParts } from '../detail-text.ts';
import { itemHref } from '../router.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { Detail, Foreign } from './text.tsx';

const LOOK_EVERY = 700;

/** For the owner: a run by hand, or a run that posts nothing, with what came of it. */
export function RunNow({ pipeline, ended }: { readonly pipeline: string; readonly ended: () => void }) {
  const w = words.value;
  const [job, setJob] = useState<Job | null>(null);
  const action = useAction();
  const running = job?.state === 'running';
  useEffect(() => {
    if (!running || job === null) return;
    const timer = setTimeout(() => {
      api.jobs.find(job.id).then(
        (next) => {
          setJob(next);
          if (next.state !== 'running') ended();
        },
        // It goes on without being watched; the next look finds it again.
        () => setJob({ ...job }),
      );
    }, LOOK_EVERY);
    return () => clearTimeout(timer);
  }, [job]);
  const start = (dryRun: boolean): void =>
    action.run(async () => setJob(await api.jobs.start(pipeline, dryRun)));
  return (
    <div class="run">
      <p class="run-buttons">
        <button type="button" class="button" disabled={running || action.busy} onClick={() => start(false)}>
          {w.runNow}
        </button>
        <button type="button" class="button" disabled={running || action.busy} onClick={() => start(true)}>
          {w.dryRun}
        </button>
        {running && (
          <button type="button" class="link" onClick={() => action.run(() => api.jobs.stop(job.id))}>
            {w.stopRun}
          </button>
        )}
      </p>
      <ActionProblem action={action} />
      <div role="status">{job !== null && <JobWords job={job} pipeline={pipeline} />}</div>
    </div>
  );
}

function JobWords({ job, pipeline }: { readonly job: Job; readonly pipeline: string }) {
  const w = words.value;
  const report = job.report as RunReport | null;
  return (
    <div class="run-report">
      <p>
        <b>{job.dryRun ? w.dryRunStates[job.state] : w.jobStates[job.state]}</b>
        {job.progress !== null &&
          job.state === 'running' &&
          ` · ${w.runProgress[job.progress.stage](job.progress.done)}`}
      </p>
      {job.detail !== null && (
        <p class="quiet">
          <Detail parts={detailParts(job.detail)} />
        </p>
      )}
      {report?.notes.map((note) => (
        <p key={note} class="quiet">
          <Foreign text={note} />
        </p>
      ))}
      {(report?.items.length ?? 0) > 0 && (
        <details>
          <summary>{w.runItems(report?.items.length ?? 0)}</summary>
          <ul class="run-items">
            {report?.items.slice(0, 200).map((item) => (
              <li key={item.key}>
                <a href={itemHref(pipeline, item.key)}>
                  <Foreign text={item.title || w.untitled} most={160} />
                </a>{' '}
                <span class="quiet">
                  {w.outcomes[item.outcome]}
                  {item.score !== null && ` · ${w.score(item.score)}`}
                  {item.reason === 'none' ? (
                    item.why !== '' && (
                      <>
                        {' · '}
                        <Foreign text={item.why} most={200} />
                      </>
                    )
                  ) : (
                    <> · {w.reasons[item.reason]}</>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {job.messages.map((message, index) => (
        <figure key={`${message.destination} ${index}`} class="message">
          <figcaption class="quiet">
            <Foreign text={message.destination} />
          </figcaption>
          <pre>
            <Foreign text={readable(message.body)} most={4000} />
          </pre>
        </figure>
      ))}
    </div>
  );
}

/** Messages are JSON to most destinations; for people with a line for each part. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
