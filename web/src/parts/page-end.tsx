import type { Pages } from '../paged-list.ts';
import { More } from './load-more.tsx';
import { FailureNotice, Loading } from './notice.tsx';

/** What stands where the first page is not there yet. */
export function BeforeFirst({ pages }: { readonly pages: Pages<unknown> }) {
  return pages.failure ? (
    <FailureNotice failure={pages.failure} again={() => void pages.more()} />
  ) : (
    <Loading />
  );
}

/** Below the rows: the next page, or why it did not come. */
export function PageEnd({ pages, words }: { readonly pages: Pages<unknown>; readonly words: string }) {
  const { next, failure, more } = pages;
  if (failure) return <FailureNotice failure={failure} again={() => void more()} />;
  return next === null ? null : <More load={more} words={words} turn={next} />;
}
