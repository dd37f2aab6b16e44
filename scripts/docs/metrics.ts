import { COUNTERS, GAUGES, HISTOGRAMS } from '../../src/telemetry/metrics.ts';

/** The reference of `/metrics`, from the program's own list. */
export function metricsReference(): string {
  const rows = (of: Readonly<Record<string, string | { readonly says: string }>>): string =>
    Object.entries(of)
      .map(([name, says]) => `| \`${name}\` | ${typeof says === 'string' ? says : says.says} |`)
      .join('\n');
  return `# Reference: metrics

Every replica answers at \`/metrics\` in Prometheus' format, whatever its roles. Labels are of low cardinality: a pipeline, a kind, an outcome, a
reason; never a URL, an item or a person. [kawaraban.json](../../deploy/dashboards/kawaraban.json) shows all of them in Grafana.

On the distributed engine the leader of the schedulers counts items and messages for all replicas, every fifteen minutes, because counting
on Firestore costs reads.

## Counters

| name | |
|---|---|
${rows(COUNTERS)}

## Histograms

| name | |
|---|---|
${rows(HISTOGRAMS)}

## Gauges

| name | |
|---|---|
${rows(GAUGES)}
`;
}
