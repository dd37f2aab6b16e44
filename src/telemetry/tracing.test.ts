import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from './create-logger.ts';
import { silentLogger } from './logger.ts';
import { openTelemetry } from './telemetry.ts';
import { inSpan, openTracing, traceHeaders, underTrace } from './tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly events?: readonly { readonly name: string }[];
}

describe('X15 traces', () => {
  let collector: Server;
  let endpoint: string;
  let spans: SentSpan[];
  beforeEach(async () => {
    spans = [];
    collector = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
        spans.push(...sent.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  });
  afterEach(async () => {
    collector.closeAllConnections();
    collector.close();
    await once(collector, 'close');
  });
  const options = () => ({ endpoint, serviceName: 'kawaraban', version: '0', logger: silentLogger });

  it('X15 without a collector nothing is sent, and the work is done nevertheless', async () => {
    expect(await inSpan('run', {}, async () => 7)).toBe(7);
    expect(traceHeaders()).toEqual({});
  });

  it('C25 a trace continues across a call by W3C headers, and spans reach the collector', async () => {
    const tracing = await openTracing(options());
    const incoming = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
    const outgoing = await underTrace(incoming, () =>
      inSpan('fan out', {}, () => inSpan('call', {}, async () => traceHeaders())),
    );
    await tracing[Symbol.asyncDispose]();
    expect(outgoing.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    const [inner, outer] = [spans.find((s) => s.name === 'call'), spans.find((s) => s.name === 'fan out')];
    expect(outer).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331' });
    expect(inner).toMatchObject({ traceId: TRACE, parentSpanId: outer?.spanId });
  });

  it('C25 log lines carry the IDs of the trace, and events are in its span', async () => {
    const lines: string[] = [];
    const telemetry = await openTelemetry({
      serviceName: 'kawaraban',
      version: '0',
      metrics: true,
      traces: endpoint,
      log: { output: { write: (line) => lines.push(line) } },
    });
    await inSpan('run', { pipeline: 'p' }, async () => {
      telemetry.events.runStarted({ pipeline: 'p', run: '1', trigger: 'hand' });
    });
    await telemetry[Symbol.asyncDispose]();
    const span = spans.find(({ name }) => name === 'run');
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ trace_id: span?.traceId, span_id: span?.spanId });
    expect(span?.events?.map(({ name }) => name)).toEqual(['run.started']);
  });

  it('X7 a failed span records its error without secrets', async () => {
    const tracing = await openTracing(options());
    const work = inSpan('send', {}, async () => {
      throw new Error('POST https://discord.com/api/webhooks/1/hook-secret: 500');
    });
    await expect(work).rejects.toThrow('500');
    await tracing[Symbol.asyncDispose]();
    expect(spans[0]?.status).toMatchObject({ code: 2 });
    expect(JSON.stringify(spans)).not.toContain('hook-secret');
  });

  it('X15 an unavailable collector is logged and does not delay the shutdown', async () => {
    const lines: string[] = [];
    const logger = createLogger({ output: { write: (line) => lines.push(line) } });
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const tracing = await openTracing({
      ...options(),
      endpoint: `http://127.0.0.1:${port}/v1/traces`,
      logger,
    });
    await inSpan('run', {}, async () => {});
    await tracing[Symbol.asyncDispose]();
  });
});
