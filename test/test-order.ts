import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start many processes, and files that need a server beside them. */
const SLOWNESS = [
  /\/test\/(fleet|crash|web)\/|\/processes\.test\.ts$/,
  /\/test\/|\/(firestore|redis|pubsub)\//,
];

/** Long files begin first, so that none of them runs alone at the end while the other cores are idle. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = SLOWNESS.findIndex((pattern) => pattern.test(moduleId));
      return found === -1 ? SLOWNESS.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
