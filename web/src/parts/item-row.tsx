import type { Item } from '../../../src/item/item.ts';
import { detailParts, verdictParts } from '../detail-text.ts';
import { itemHref } from '../router.ts';
import { reasonText } from '../server-text.ts';
import { words } from '../words/words.ts';
import { When } from './relative-time.tsx';
import { Detail, Foreign, languageOf } from './text.tsx';

interface ItemRowProps {
  readonly item: Item;
  readonly pipeline: string;
  readonly small?: boolean;
}

/** One item in a list: title, state, and the reason of the state. */
export function ItemRow({ item, pipeline, small = false }: ItemRowProps) {
  const w = words.value;
  const reason = reasonText(item);
  const comment =
    item.verdict === null || item.verdict.reason === ''
      ? detailParts(item.detail ?? '', item.reason)
      : verdictParts(item.verdict, item.reason);
  const rowProps = small ? {} : { 'data-row': true, tabIndex: -1 };
  return (
    <li class="row" {...rowProps}>
      <p class={`mark mark-${item.state}`}>{w.states[item.state]}</p>
      <div class="row-body">
        <p class="row-title" lang={languageOf(item.title)}>
          <a href={itemHref(pipeline, item.key)} data-open data-why>
            <Foreign text={item.title || w.untitled} />
          </a>
        </p>
        <p class="row-line">
          {!small && (
            <>
              <Foreign text={item.sourceName} /> ·{' '}
            </>
          )}
          <When at={item.checkedAt} />
          {reason !== '' && (
            <>
              {' · '}
              <b class="row-reason">{reason}</b>
            </>
          )}
          {comment.length > 0 && ' · '}
          <Detail parts={comment} />
        </p>
      </div>
      <p class="row-score" title={w.score(item.verdict?.score ?? null)}>
        <span aria-hidden="true">{item.verdict?.score ?? '–'}</span>
        <span class="visually-hidden">{w.score(item.verdict?.score ?? null)}</span>
      </p>
    </li>
  );
}
