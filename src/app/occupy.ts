import type { Config } from '../config/config.ts';
import { FolderLock } from '../sqlite/folder-lock.ts';

/** Holds the data folder of the embedded engine; on the other one many copies work side by side, and nothing is held. */
export function occupy(config: Pick<Config, 'engine' | 'data'>, doing: string): AsyncDisposable | null {
  return config.engine.kind === 'embedded' ? FolderLock.hold(config.data, doing) : null;
}
