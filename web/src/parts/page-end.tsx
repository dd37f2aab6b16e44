import type { Pages } from '../paged-list.ts';
import { More } from './load-more.tsx';
import { Loading, Trouble } from './notice.tsx';

/** What stands where the first page is not there yet. */
export function BeforeFirst({ pages }: { readonly pages: Pages<unknown> }) {
  return pages.trouble ? <Trouble trouble={pages.trouble} again={() => void pages.more()} /> : <Loading />;
}

/** Below the rows: the next page, or why it did not come. */
export function PageEnd({ pages, words }: { readonly pages: Pages<unknown>; readonly words: string }) {
  const { next, trouble, more } = pages;
  if (trouble) return <Trouble trouble={trouble} again={() => void more()} />;
  return next === null ? null : <More load={more} words={words} turn={next} />;
}
