import { signal } from '@preact/signals';
import { api } from './api.ts';

/** Paths of the existing folders, such as `News/World`, for suggestions. */
export const folderPaths = signal<readonly string[]>([]);

export function loadFolders(): void {
  api.folders().then(
    ({ folders }) => {
      folderPaths.value = folders.map(({ path }) => path.join('/'));
    },
    // Without suggestions the name is typed.
    () => {},
  );
}

/** The names in a typed path, outermost first. */
export function parsePath(text: string): readonly string[] {
  return text
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
