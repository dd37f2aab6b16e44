import type { SourceCatalogue } from './source-catalogue.ts';

export interface SourceFolder {
  /** Outermost name first. */
  readonly path: readonly string[];
  /** Sources in it and in the folders inside of it. */
  readonly sources: number;
}

/** All folders that sources are in, outer ones before those inside of them. */
export function sourceFolders(catalogue: Pick<SourceCatalogue, 'all'>): readonly SourceFolder[] {
  const folders = new Map<string, { readonly path: readonly string[]; sources: number }>();
  for (const { settings } of catalogue.all()) {
    const path = settings.folders ?? [];
    for (let depth = 1; depth <= path.length; depth++) {
      const outer = path.slice(0, depth);
      const key = JSON.stringify(outer);
      const folder = folders.get(key) ?? { path: outer, sources: 0 };
      folder.sources += 1;
      folders.set(key, folder);
    }
  }
  return [...folders.values()].sort((a, b) => compareFolders(a.path, b.path));
}

function compareFolders(a: readonly string[], b: readonly string[]): number {
  for (const [n, name] of a.entries()) {
    const other = b[n];
    if (other === undefined) return 1;
    const order = name.localeCompare(other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** `News/World` as a path; empty names are left out. */
export function parseFolder(written: string): readonly string[] {
  return written
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
