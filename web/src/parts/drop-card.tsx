import type { ShownDrop } from '../../../src/server/http/timeline-routes.ts';
import { itemHref } from '../router.ts';
import { fullTime } from '../time.ts';
import { words } from '../words/words.ts';
import { LinkedText } from './linked-text.tsx';
import { PostActions } from './post-actions.tsx';
import { When } from './relative-time.tsx';
import { Foreign, hostOf, languageOf, webAddress } from './text.tsx';

/** One drop on the sheet. */
export function DropCard({ drop }: { readonly drop: ShownDrop }) {
  const w = words.value;
  const href = webAddress(drop.url);
  const title = drop.title ?? drop.text;
  const text = drop.title === null ? null : drop.text;
  const host = hostOf(drop.url);
  return (
    <article class="drop" data-row tabIndex={-1} aria-labelledby={`t-${drop.id}`}>
      <p class="drop-line">
        <When at={drop.createdAt} />
        <span class="drop-author">
          <Foreign text={drop.author.displayName || drop.author.name} />
        </span>
        {drop.editedAt !== null && (
          <span class="drop-edited" title={fullTime(drop.editedAt)}>
            {w.manage.posts.edited}
          </span>
        )}
      </p>
      <h3 class="drop-title" id={`t-${drop.id}`} lang={languageOf(title)}>
        {href === null ? (
          <LinkedText text={title} />
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer" data-open data-original>
            <Foreign text={title} />
            <span class="visually-hidden"> {w.opensElsewhere}</span>
          </a>
        )}
      </h3>
      {text !== null && text !== '' && (
        <p class="drop-text" lang={languageOf(text)}>
          <LinkedText text={text} />
        </p>
      )}
      <p class="drop-foot">
        {host !== null && (
          <span class="drop-host">
            <Foreign text={host} />
          </span>
        )}
        {drop.pipeline !== null && drop.itemKey !== null && (
          <a href={itemHref(drop.pipeline, drop.itemKey)} data-why>
            {w.why}
            <span class="visually-hidden">: {title.slice(0, 80)}</span>
          </a>
        )}
      </p>
      <PostActions drop={drop} />
    </article>
  );
}
