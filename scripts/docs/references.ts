import { alertsReference } from './alerts.ts';
import { apiReference } from './api.ts';
import { CHART_FILES } from './chart-files.ts';
import { commandsReference } from './commands.ts';
import { configurationReference } from './configuration.ts';
import { dependenciesReference } from './dependencies.ts';
import { metricsReference } from './metrics.ts';

/** The generated pages and copies, by their path in the project. */
export const REFERENCES: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/configuration.md': configurationReference,
  'docs/reference/commands.md': commandsReference,
  'docs/reference/api.md': apiReference,
  'docs/reference/metrics.md': metricsReference,
  'docs/reference/alerts.md': alertsReference,
  'docs/dependencies.md': dependenciesReference,
  ...CHART_FILES,
};
