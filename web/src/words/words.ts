import { computed, effect, signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';
import { CATALOGUES, type Tongue, type Words } from './catalogues.ts';

export type { Tongue, Words } from './catalogues.ts';

/** The languages of the page, each by its own name. */
export const LANGUAGES: readonly { readonly tag: Tongue; readonly name: string }[] = [
  { tag: 'en', name: CATALOGUES.en.languageName },
  { tag: 'ja', name: CATALOGUES.ja.languageName },
];

const chosen = kept('tongue');
const usual: Tongue = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en';

export const tongue = signal<Tongue>(chosen === 'ja' || chosen === 'en' ? chosen : usual);

/** The words of the page in the reader's language. Read it while rendering, so that a change shows at once. */
export const words = computed<Words>(() => CATALOGUES[tongue.value]);

effect(() => {
  document.documentElement.lang = tongue.value;
});

export function setTongue(next: Tongue): void {
  tongue.value = next;
  keep('tongue', next);
}

export function switchTongue(): void {
  setTongue(tongue.value === 'ja' ? 'en' : 'ja');
}
