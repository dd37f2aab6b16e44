import type { Words as CommonWords } from './en.ts';
import type { ReaderWords } from './reader-en.ts';

export type Language = 'en' | 'ja';
/** Every text of the page. */
export type Words = CommonWords & { readonly reader: ReaderWords };
