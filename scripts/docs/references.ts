import { alertsReference } from './alerts.ts';
import { commandsReference } from './commands.ts';
import { configurationReference } from './configuration.ts';
import { dependenciesReference } from './dependencies.ts';
import { metricsReference } from './metrics.ts';

/** The pages that are written by the program itself, by their place in the project. */
export const REFERENCES: Readonly<Record<string, () => string>> = {
  'docs/reference/configuration.md': configurationReference,
  'docs/reference/commands.md': commandsReference,
  'docs/reference/metrics.md': metricsReference,
  'docs/reference/alerts.md': alertsReference,
  'docs/dependencies.md': dependenciesReference,
};
