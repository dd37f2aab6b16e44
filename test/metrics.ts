import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');

/** Metrics of the distributed engine and remote services alone: checked by `distributed.test.ts`. */
export const DISTRIBUTED_METRICS =
  /^(firestore|kawaraban_redis|kawaraban_service|kawaraban_loop_failures|kawaraban_malformed_messages)_/;

/** Metrics of certificates: checked by `tls.test.ts`. */
export const TLS_METRICS = /^kawaraban_tls_/;

/** One line of `/metrics`. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads `/metrics` as Prometheus does. */
export async function scrape(url: string, headers: Record<string, string> = {}): Promise<readonly Series[]> {
  const response = await fetch(`${url}/metrics`, { headers });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  return (await response.text()).split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of the series with these labels; `null` where there is none. */
export function sumOf(series: readonly Series[], name: string, labels: Record<string, string> = {}) {
  const found = series.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}

/** A metric as a panel, a rule or the reference names it. */
export interface ReferencedMetric {
  readonly by: string;
  readonly name: string;
  /** Regular expressions by label. */
  readonly matchers: Readonly<Record<string, RegExp>>;
}

/** Every metric that a panel of the dashboard, an alert rule or the reference names. */
export function referencedMetrics(): readonly ReferencedMetric[] {
  const panels = expressionsIn(
    JSON.parse(readFileSync(join(ROOT, 'deploy/dashboards/kawaraban.json'), 'utf8')),
    'dashboard',
  );
  const folder = join(ROOT, 'deploy/alerts');
  const rules = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.tests.yaml'))
    .flatMap((name) => expressionsIn(parse(readFileSync(join(folder, name), 'utf8')), name));
  const reference = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');
  const named = [...reference.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => ({
    by: 'metrics.md',
    name,
    matchers: {},
  }));
  return [...[...panels, ...rules].flatMap(selectorsIn), ...named];
}

/** Whether the program has such a series; a histogram is named by its parts. */
export function hasSeries({ name, matchers }: ReferencedMetric, series: readonly Series[]): boolean {
  return series.some(
    (one) =>
      (one.name === name || one.name === `${name}_count`) &&
      Object.entries(matchers).every(([label, wanted]) => wanted.test(one.labels[label] ?? '')),
  );
}

function expressionsIn(value: unknown, by: string): { by: string; expression: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'expr' && typeof inner === 'string' ? [{ by, expression: inner }] : expressionsIn(inner, by),
  );
}

function selectorsIn({ by, expression }: { by: string; expression: string }): ReferencedMetric[] {
  const found = expression.matchAll(/\b((?:kawaraban|firestore|process|redis)_\w+)(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', inner = '']) => {
    const matchers = [...inner.matchAll(/(\w+)=(~?)"([^"]*)"/g)]
      // Prometheus itself adds it.
      .filter(([, label]) => label !== 'job')
      .map(([, label = '', , pattern]) => [label, new RegExp(`^(?:${pattern})$`)] as const);
    return { by, name, matchers: Object.fromEntries(matchers) };
  });
}
