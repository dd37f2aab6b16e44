import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';

const SOURCES = {
  'single.yaml': 'deploy/kubernetes/overlays/single/kawaraban.yaml',
  'distributed.yaml': 'deploy/kubernetes/base/kawaraban.yaml',
  'alerts-newsroom.yaml': 'deploy/alerts/newsroom.yaml',
  'alerts-timelines.yaml': 'deploy/alerts/timelines.yaml',
  'alerts-firestore.yaml': 'deploy/alerts/firestore.yaml',
};

/** Copies in the Helm chart, which can read no file outside of its folder; without comments that are about the original's place. */
export const CHART_FILES: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(SOURCES).map(([name, from]) => [
    `deploy/helm/kawaraban/files/${name}`,
    () =>
      `# Written by \`npm run docs\` from ${from}.\n${readFileSync(join(ROOT, from), 'utf8').replace(/^(#.*\n)+/, '')}`,
  ]),
);
