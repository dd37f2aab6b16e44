import { type Words as CommonWords, en } from './en.ts';
import { ja } from './ja.ts';
import { type ReaderWords, readerEn } from './reader-en.ts';
import { readerJa } from './reader-ja.ts';

export type Language = 'en' | 'ja';
export type Words = CommonWords & { readonly reader: ReaderWords };

/** Every text of the page, by language. */
export const CATALOGUES: Readonly<Record<Language, Words>> = {
  en: { ...en, reader: readerEn },
  ja: { ...ja, reader: readerJa },
};
