import { effect, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

const parts = signal<readonly string[]>([]);

/** The title of the document: what it shows, then where, then the name of the program. */
export function useTitle(...shown: readonly string[]): void {
  useLayoutEffect(() => {
    parts.value = shown;
  }, [shown.join('\n')]);
}

effect(() => {
  document.title = [...parts.value, 'Kawaraban'].join(' – ');
});
