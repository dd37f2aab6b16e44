import { batch, computed, effect, signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';
import type { Language, Words } from './catalogues.ts';

export type { Language, Words } from './catalogues.ts';

/** The languages of the page, each by its own name. */
export const LANGUAGES: readonly { readonly tag: Language; readonly name: string }[] = [
  { tag: 'en', name: 'English' },
  { tag: 'ja', name: '日本語' },
];

/** One of them is loaded: a fifth of the script is words. */
const LOAD: Readonly<Record<Language, () => Promise<{ readonly words: Words }>>> = {
  en: () => import('./catalogue-en.ts'),
  ja: () => import('./catalogue-ja.ts'),
};

// Earlier versions kept it as `tongue`.
const chosen = kept('language') ?? kept('tongue');
const preferred: Language = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en';

export const language = signal<Language>(chosen === 'ja' || chosen === 'en' ? chosen : preferred);

const loaded = signal<Words | null>(null);

/** The words of the page in the reader's language. Read it while rendering, so that a change shows at once. */
export const words = computed<Words>(() => {
  if (loaded.value === null) throw new Error('loadWords was not awaited');
  return loaded.value;
});

/** Before anything is rendered. */
export async function loadWords(): Promise<void> {
  loaded.value = (await LOAD[language.peek()]()).words;
}

effect(() => {
  document.documentElement.lang = language.value;
});

/** The language stays as it is where its words cannot be loaded. */
export async function setLanguage(next: Language): Promise<void> {
  const catalogue = await LOAD[next]().catch(() => null);
  if (catalogue === null) return;
  batch(() => {
    loaded.value = catalogue.words;
    language.value = next;
  });
  keep('language', next);
}

export function switchLanguage(): Promise<void> {
  return setLanguage(language.value === 'ja' ? 'en' : 'ja');
}
