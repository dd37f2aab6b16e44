import { build } from '../scripts/build.ts';

/** Compiles the program once for all suites that start it: they run what is published. */
export default async function setup(): Promise<void> {
  await build();
}
