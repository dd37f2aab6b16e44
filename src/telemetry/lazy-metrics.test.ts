import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LazyMetrics } from './lazy-metrics.ts';

const OPTIONS = { serviceName: 'kawaraban', version: '0' };

describe('X15 lazily loaded metrics', () => {
  it('X15 lose no measurement when the SDK is loaded', async () => {
    const metrics = new LazyMetrics(OPTIONS);
    metrics.add('firestore_reads_total', 2, { collection: 'a' });
    metrics.add('firestore_reads_total', 3, { collection: 'a' });
    metrics.add('firestore_reads_total', 1, { collection: 'b' });
    metrics.record('firestore_latency_seconds', 0.004, { operation: 'get' });
    metrics.observe('kawaraban_streams_open', () => [{ value: 7 }]);
    const first = metrics.text();
    metrics.add('firestore_reads_total', 10, { collection: 'a' });
    const early = await first;
    expect(early).toContain('firestore_reads_total{collection="a"} 15');
    expect(early).toContain('firestore_reads_total{collection="b"} 1');
    expect(early).toContain('kawaraban_streams_open 7');
    metrics.add('firestore_reads_total', 100, { collection: 'a' });
    metrics.record('firestore_latency_seconds', 20, { operation: 'get' });
    metrics.observe('kawaraban_queue_depth', () => [{ value: 1 }]);
    const late = await metrics.text();
    expect(late).toContain('firestore_reads_total{collection="a"} 115');
    expect(late).toContain('firestore_latency_seconds_count{operation="get"} 2');
    expect(late).toContain('firestore_latency_seconds_bucket{operation="get",le="0.005"} 1');
    expect(late).toContain('kawaraban_queue_depth 1');
    await metrics[Symbol.asyncDispose]();
  });

  it('X15 limit their buffer', async () => {
    const metrics = new LazyMetrics(OPTIONS);
    for (let i = 0; i < 25_000; i++)
      metrics.record('kawaraban_request_duration_seconds', 0.01, { route: '/' });
    const text = await metrics.text();
    expect(text).toContain('kawaraban_request_duration_seconds_count{route="/"} 25000');
    await metrics[Symbol.asyncDispose]();
  });

  it('X15 the SDK is not loaded without a scrape', async () => {
    const program = `
      const { openTelemetry } = await import(${JSON.stringify(new URL('./telemetry.ts', import.meta.url).href)});
      const telemetry = await openTelemetry({ serviceName: 'k', version: '0', metrics: true, log: { level: 'silent' } });
      telemetry.events.runStarted({ pipeline: 'p', run: '1', trigger: 'hand' });
      await telemetry[Symbol.asyncDispose]();`;
    // The loader's trace names every file that is opened.
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, NODE_DEBUG: 'esm' },
      maxBuffer: 64 * 2 ** 20,
    });
    expect(stderr).toContain('telemetry.ts');
    expect(stderr).not.toContain('@opentelemetry');
  });
});
