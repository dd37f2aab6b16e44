import { indexesFile } from '../src/storage/firestore/index-definitions.ts';

/** Prints `deploy/firestore.indexes.json`. For a configuration with several pipelines of a kind: `kawaraban indexes`. */
if (import.meta.main) process.stdout.write(`${JSON.stringify(indexesFile(), null, 2)}\n`);
