import type { Config } from '../config/config.ts';
import { FolderLock } from '../sqlite/folder-lock.ts';
import { refuseHalfRestored } from './restore.ts';

/** Holds the data folder of the embedded engine; on the other one many copies work side by side, and nothing is held. */
export function occupy(config: Pick<Config, 'engine' | 'data'>, doing: string): AsyncDisposable | null {
  if (config.engine.kind !== 'embedded') return null;
  refuseHalfRestored(config.data);
  return FolderLock.hold(config.data, doing);
}
