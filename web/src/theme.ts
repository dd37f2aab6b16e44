import { effect, signal } from '@preact/signals';
import { keep, kept } from './local-storage.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const stored = kept('theme');

export const theme = signal<Theme>(THEMES.find((one) => one === stored) ?? 'auto');

effect(() => {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

export function setTheme(next: Theme): void {
  theme.value = next;
  keep('theme', next === 'auto' ? null : next);
}

/** The next of the three, for a button. */
export function switchTheme(): void {
  setTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto');
}
