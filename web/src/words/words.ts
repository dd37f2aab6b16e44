import { computed, effect, signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';
import { type Words as CommonWords, en } from './en.ts';
import { ja } from './ja.ts';
import { type ReaderWords, readerEn } from './reader-en.ts';
import { readerJa } from './reader-ja.ts';

export type Tongue = 'en' | 'ja';
export type Words = CommonWords & { readonly reader: ReaderWords };

const CATALOGUES: Readonly<Record<Tongue, Words>> = {
  en: { ...en, reader: readerEn },
  ja: { ...ja, reader: readerJa },
};

const chosen = kept('tongue');
const usual: Tongue = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en';

export const tongue = signal<Tongue>(chosen === 'ja' || chosen === 'en' ? chosen : usual);

/** The words of the page in the reader's language. Read it while rendering, so that a change shows at once. */
export const words = computed<Words>(() => CATALOGUES[tongue.value]);

effect(() => {
  document.documentElement.lang = tongue.value;
});

export function switchTongue(): void {
  tongue.value = tongue.value === 'ja' ? 'en' : 'ja';
  keep('tongue', tongue.value);
}
