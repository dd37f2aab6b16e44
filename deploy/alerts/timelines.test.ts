import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../src/telemetry/metrics.ts';
import { requires } from '../../test/requirements.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

requires('promtool')('the alerts on timelines', () => {
  it('C25 pass promtool check rules: the eight conditions', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', join(here, 'timelines.yaml')]);
    expect(stdout).toContain('8 rules found');
  });

  it('C25 fire when they should, and only then', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', join(here, 'timelines.tests.yaml')]);
    expect(stdout).toContain('SUCCESS');
  });

  it('C25 the test of the rules detects a wrong limit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-alerts-'));
    try {
      for (const name of ['timelines.yaml', 'timelines.tests.yaml']) {
        const text = readFileSync(join(here, name), 'utf8');
        writeFileSync(join(folder, name), text.replace('> 0.05', '> 0.5'));
      }
      await expect(
        run('promtool', ['test', 'rules', join(folder, 'timelines.tests.yaml')]),
      ).rejects.toThrow();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it('C25 the alerts use only metrics that the program has', () => {
  const asked = readFileSync(join(here, 'timelines.yaml'), 'utf8').matchAll(/kawaraban_\w+/g);
  const known = new Set([
    ...Object.keys(COUNTERS),
    ...Object.keys(GAUGES),
    ...Object.keys(HISTOGRAMS).map((name) => `${name}_bucket`),
  ]);
  for (const [name] of asked) expect(known).toContain(name);
});
