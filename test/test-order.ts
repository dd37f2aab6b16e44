import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In their order: a worker is kept for the next file only if that is of the same project. */
export const PROJECTS = ['isolated', 'shared', 'unit'] as const;

/** Files that start many processes, and files that need a server beside them. */
const SLOWNESS = [
  /\/test\/(fleet|crash|web)\/|\/processes\.test\.ts$/,
  /\/test\/|\/(firestore|redis|pubsub)\//,
];

/** Long files begin first, so that none of them runs alone at the end while the other cores are idle. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = SLOWNESS.findIndex((pattern) => pattern.test(moduleId));
      const order = PROJECTS.findIndex((name) => name === project.name);
      return order * (SLOWNESS.length + 1) + (found === -1 ? SLOWNESS.length : found);
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
