import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboard, expressions } from '../../scripts/dashboard.ts';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../src/telemetry/metrics.ts';
import { requires } from '../../test/requirements.ts';

const KNOWN = new Set([
  'up',
  ...Object.keys(COUNTERS),
  ...Object.keys(GAUGES),
  ...Object.keys(HISTOGRAMS).flatMap((name) => ['_bucket', '_sum', '_count'].map((part) => name + part)),
]);

const metricsIn = (expression: string): string[] =>
  expression.match(/\b(?:kawaraban|firestore|process|redis)_[a-z_]+\b/g) ?? [];

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}

const alertFiles = readdirSync(join(import.meta.dirname, '../alerts')).filter(
  (name) => name.endsWith('.yaml') && !name.endsWith('.tests.yaml'),
);
const alerts = alertFiles.flatMap((name) =>
  (parse(readFileSync(join(import.meta.dirname, '../alerts', name), 'utf8')) as Rules).groups.flatMap(
    ({ rules }) => rules,
  ),
);

describe('the dashboard', () => {
  it('X15 is what the script generates', () => {
    const file = readFileSync(join(import.meta.dirname, 'kawaraban.json'), 'utf8');
    expect(JSON.parse(file)).toEqual(dashboard());
  });

  it('X15 shows every metric that the program has, and no other', () => {
    const asked = new Set(expressions().flatMap(metricsIn));
    expect([...asked].filter((name) => !KNOWN.has(name))).toEqual([]);
    const shown = (name: string): boolean => asked.has(name) || asked.has(`${name}_bucket`);
    const all = [COUNTERS, GAUGES, HISTOGRAMS].flatMap((instruments) => Object.keys(instruments));
    expect(all.filter((name) => !shown(name))).toEqual([]);
  });

  it('has panels that do not overlap', () => {
    const { panels } = dashboard() as {
      panels: { title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    const taken = new Map<string, string>();
    for (const {
      title,
      gridPos: { x, y, w, h },
    } of panels)
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          expect(taken.get(`${column}/${row}`), title).toBeUndefined();
          taken.set(`${column}/${row}`, title);
          expect(column).toBeLessThan(24);
        }
  });
});

describe('the alerts', () => {
  it('X15 use metrics that the program has', () => {
    const unknown = alerts.flatMap(({ alert, expr }) =>
      metricsIn(expr)
        .filter((name) => !KNOWN.has(name))
        .map((name) => `${alert}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('X15 each have a section in the operating guide that says what to do', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/operating.md'), 'utf8');
    expect(alerts.map(({ alert }) => alert).filter((alert) => !guide.includes(`### ${alert}\n`))).toEqual([]);
  });

  it('have unique names', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
  });
});

requires('promtool')('promtool', () => {
  const run = promisify(execFile);

  it('X15 accepts every expression of the dashboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-dashboard-'));
    try {
      const rules = expressions().map((expression, n) => ({
        record: `panel:${n}`,
        expr: expression.replaceAll('$__rate_interval', '5m'),
      }));
      const file = join(folder, 'rules.yaml');
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
      const { stdout } = await run('promtool', ['check', 'rules', file]);
      expect(stdout).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('X15 accepts the alerts on the newsroom, which fire when they should and only then', async () => {
    const alertsFolder = join(import.meta.dirname, '../alerts');
    await run('promtool', ['check', 'rules', join(alertsFolder, 'newsroom.yaml')]);
    const { stdout } = await run('promtool', ['test', 'rules', join(alertsFolder, 'newsroom.tests.yaml')]);
    expect(stdout).toContain('SUCCESS');
    const tested = readFileSync(join(alertsFolder, 'newsroom.tests.yaml'), 'utf8');
    const { groups } = parse(readFileSync(join(alertsFolder, 'newsroom.yaml'), 'utf8')) as Rules;
    for (const { alert } of groups.flatMap(({ rules }) => rules))
      expect(tested).toContain(`alertname: ${alert}\n`);
  });

  it('X15 accepts the configuration of Prometheus', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-prometheus-'));
    try {
      const text = readFileSync(join(import.meta.dirname, '../compose/prometheus.yaml'), 'utf8');
      const file = join(folder, 'prometheus.yaml');
      writeFileSync(file, text.replaceAll('alerts/', `${join(import.meta.dirname, '../alerts')}/`));
      const { stdout } = await run('promtool', ['check', 'config', file]);
      for (const name of alertFiles) expect(stdout).toContain(name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
