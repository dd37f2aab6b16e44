import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { words } from '../words/words.ts';
import { CopyText } from './copy-text.tsx';
import { FailureNotice, Loading } from './notice.tsx';

/** For the owner: the interests of a curator, and proposals of aliases from its own articles. */
export function PipelineInterests({ pipeline }: { readonly pipeline: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="setting-more run" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.value.manage.pipeline.interests}</summary>
      {open && <InterestList pipeline={pipeline} />}
    </details>
  );
}

function InterestList({ pipeline }: { readonly pipeline: string }) {
  const w = words.value.manage.pipeline;
  const { value, failure, again } = useRead(`interests ${pipeline}`, (signal) =>
    api.pipelineInterests(pipeline, signal),
  );
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (value === null) return <Loading />;
  return (
    <>
      <p>{w.interestsHint}</p>
      <ul>
        {value.interests.map(({ topic, aliases, items, proposals }) => (
          <li key={topic}>
            <b>{topic}</b>
            {aliases.length > 0 && `, ${w.alsoCalled(aliases.join(', '))}`}: {w.namedIn(items, value.items)}
            {proposals.length > 0 && (
              <>
                <p>{w.proposals}</p>
                <ul>
                  {proposals.map(({ word, together, elsewhere }) => (
                    <li key={word}>
                      {word} ({w.proposalWhy(together, elsewhere)})
                    </li>
                  ))}
                </ul>
                <CopyText
                  text={`aliases: ${JSON.stringify([...aliases, ...proposals.map(({ word }) => word)])}`}
                />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
