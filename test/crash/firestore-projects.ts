import { randomUUID } from 'node:crypto';
import type { EngineName, Where } from './newsroom-config.ts';

/** A Firestore emulator in which every run gets a project of its own, so that nothing has to be cleaned up. */
export interface Projects {
  readonly emulator: string;
}

/** A project that was not used before. */
export function whereOf(engine: EngineName, projects: Projects | null): Where {
  if (engine === 'sqlite') return { engine };
  if (projects === null) throw new Error('a run on Firestore needs its emulator');
  return { engine, emulator: projects.emulator, project: `demo-${randomUUID()}` };
}
