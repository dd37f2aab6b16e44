import { computed, effect, signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';
import { CATALOGUES, type Language, type Words } from './catalogues.ts';

export type { Language, Words } from './catalogues.ts';

/** The languages of the page, each by its own name. */
export const LANGUAGES: readonly { readonly tag: Language; readonly name: string }[] = [
  { tag: 'en', name: CATALOGUES.en.languageName },
  { tag: 'ja', name: CATALOGUES.ja.languageName },
];

// Earlier versions kept it as `tongue`.
const chosen = kept('language') ?? kept('tongue');
const preferred: Language = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en';

export const language = signal<Language>(chosen === 'ja' || chosen === 'en' ? chosen : preferred);

/** The words of the page in the reader's language. Read it while rendering, so that a change shows at once. */
export const words = computed<Words>(() => CATALOGUES[language.value]);

effect(() => {
  document.documentElement.lang = language.value;
});

export function setLanguage(next: Language): void {
  language.value = next;
  keep('language', next);
}

export function switchLanguage(): void {
  setLanguage(language.value === 'ja' ? 'en' : 'ja');
}
