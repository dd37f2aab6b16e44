import { useState } from 'preact/hooks';
import type { Item } from '../../../src/item/item.ts';
import { api, type ShownMessage } from '../api.ts';
import { detailParts } from '../detail-text.ts';
import { useRead } from '../hooks.ts';
import { ActionProblem, useAction } from '../parts/action.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { OwnersOnly } from '../parts/owners-only.tsx';
import { When } from '../parts/relative-time.tsx';
import { Detail, Foreign } from '../parts/text.tsx';
import { itemHref } from '../router.ts';
import { reasonText } from '../server-text.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

/** What needs a decision of the owner: failed and held items, and messages that were not confirmed. */
export function AttentionPage() {
  const w = words.value;
  const { value, failure, again } = useRead('attention', (signal) => openWork(signal), 20_000);
  if (me.value?.role !== 'owner') return <OwnersOnly />;
  const nothing = value !== null && value.items.length === 0 && value.messages.length === 0;
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.attentionTitle}
      </h2>
      {failure && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {nothing && (
        <Notice title={w.attentionEmpty}>
          <p>{w.attentionEmptyMore}</p>
        </Notice>
      )}
      {value !== null && value.messages.length > 0 && (
        <section aria-labelledby="messages-title" class="item-section">
          <h3 id="messages-title">{w.openMessages}</h3>
          <ul class="rows">
            {value.messages.map((message) => (
              <MessageRow key={`${message.pipeline} ${message.key}`} message={message} again={again} />
            ))}
          </ul>
        </section>
      )}
      {value !== null && value.items.length > 0 && (
        <section aria-labelledby="items-title" class="item-section">
          <h3 id="items-title">{w.openItems}</h3>
          <ul class="rows">
            {value.items.map(({ pipeline, item }) => (
              <OpenItem key={`${pipeline} ${item.key}`} pipeline={pipeline} item={item} again={again} />
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

interface OpenWork {
  readonly items: readonly { readonly pipeline: string; readonly item: Item }[];
  readonly messages: readonly ShownMessage[];
}

async function openWork(signal: AbortSignal): Promise<OpenWork> {
  const { pipelines } = await api.pipelines(signal);
  const [items, messages] = await Promise.all([
    Promise.all(
      pipelines.map(async ({ id }) => {
        const page = await api.items({ pipeline: id, state: 'parked,failed', limit: '50' }, signal);
        return page.items.map((item) => ({ pipeline: id, item }));
      }),
    ),
    Promise.all(pipelines.map(({ id }) => api.deliveries.list(id, 'parked,refused,unknown', signal))),
  ]);
  return { items: items.flat(), messages: messages.flatMap((page) => page.deliveries) };
}

function MessageRow({ message, again }: { readonly message: ShownMessage; readonly again: () => void }) {
  const w = words.value;
  const action = useAction(again);
  const [shown, setShown] = useState(false);
  const decide = (decision: 'sent' | 'again' | 'drop') => () =>
    action.run(() => api.deliveries.decide(message.pipeline, message.key, decision));
  return (
    <li class="line" data-row tabIndex={-1}>
      <div class="line-body">
        <p>
          <b>{w.deliveries[message.state]}</b> · <Foreign text={message.destination} /> ·{' '}
          <Foreign text={message.pipeline} />
        </p>
        <p class="quiet">
          {message.detail !== null && (
            <>
              <Detail parts={detailParts(message.detail)} /> ·{' '}
            </>
          )}
          {w.attempts(message.attempts)} · <When at={message.updatedAt} />
        </p>
        <p>
          <button type="button" class="link" aria-expanded={shown} onClick={() => setShown(!shown)}>
            {w.showMessage}
          </button>
        </p>
        {shown && (
          <pre class="message">
            <Foreign text={message.body} most={6000} />
          </pre>
        )}
        <ActionProblem action={action} />
      </div>
      <p class="line-tools">
        <button type="button" class="button" disabled={action.busy} onClick={decide('again')}>
          {w.sendAgain}
        </button>
        <button type="button" class="button" disabled={action.busy} onClick={decide('sent')}>
          {w.markSent}
        </button>
        <button type="button" class="button" disabled={action.busy} onClick={decide('drop')}>
          {w.discard}
        </button>
      </p>
    </li>
  );
}

function OpenItem(props: { readonly pipeline: string; readonly item: Item; readonly again: () => void }) {
  const w = words.value;
  const { pipeline, item, again } = props;
  const action = useAction(again);
  const decide = (decision: 'retry' | 'sent' | 'drop') => () =>
    action.run(() => api.decide(pipeline, item.key, decision));
  return (
    <li class="line" data-row tabIndex={-1}>
      <div class="line-body">
        <p class={`mark mark-${item.state}`}>{w.states[item.state]}</p>
        <p class="row-title">
          <a href={itemHref(pipeline, item.key)} data-open data-why>
            <Foreign text={item.title || w.untitled} />
          </a>
        </p>
        <p class="quiet">
          {reasonText(item)}
          {item.detail !== null && item.detail !== '' && (
            <>
              {' · '}
              <Detail parts={detailParts(item.detail, item.reason)} most={300} />
            </>
          )}
          {' · '}
          <When at={item.checkedAt} />
        </p>
        <ActionProblem action={action} />
      </div>
      <p class="line-tools">
        <button type="button" class="button" disabled={action.busy} onClick={decide('retry')}>
          {w.retry}
          <span class="visually-hidden">: {item.title.slice(0, 80)}</span>
        </button>
        {item.state === 'parked' && (
          <button type="button" class="button" disabled={action.busy} onClick={decide('sent')}>
            {w.markSent}
            <span class="visually-hidden">: {item.title.slice(0, 80)}</span>
          </button>
        )}
        <button type="button" class="button" disabled={action.busy} onClick={decide('drop')}>
          {w.discard}
          <span class="visually-hidden">: {item.title.slice(0, 80)}</span>
        </button>
      </p>
    </li>
  );
}
