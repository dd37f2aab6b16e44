import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP over HTTP carries it. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string };
  }[];
}

/** An OpenTelemetry collector on loopback that records every span it receives. */
export class SpanSink implements AsyncDisposable {
  readonly spans: SentSpan[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
        for (const { scopeSpans } of sent.resourceSpans)
          for (const { spans } of scopeSpans) this.spans.push(...spans);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
  }

  static async start(): Promise<SpanSink> {
    const sink = new SpanSink();
    sink.#server.listen(0, '127.0.0.1');
    await once(sink.#server, 'listening');
    return sink;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** One attribute of a span. */
export function factOf({ attributes = [] }: SentSpan, key: string): string | undefined {
  return attributes.find((one) => one.key === key)?.value.stringValue;
}
