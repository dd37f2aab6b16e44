import { effect, signal } from '@preact/signals';
import { keep, kept } from './local-storage.ts';

export type Theme = 'auto' | 'light' | 'dark';

const chosen = kept('theme');

export const theme = signal<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : 'auto');

effect(() => {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

export function switchTheme(): void {
  theme.value = theme.value === 'auto' ? 'light' : theme.value === 'light' ? 'dark' : 'auto';
  keep('theme', theme.value === 'auto' ? null : theme.value);
}
