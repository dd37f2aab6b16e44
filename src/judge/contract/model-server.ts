import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request, independent of the protocol. */
export interface AskedQuestion {
  readonly model: string;
  readonly key: string | null;
  readonly instructions: string;
  readonly data: string;
  readonly files: readonly { readonly mediaType: string; readonly bytes: Uint8Array }[];
  /** How structured output was requested: a schema, any JSON, or not at all. */
  readonly format: 'schema' | 'json' | 'plain';
  /** The output limit; `null` if none was sent. */
  readonly maxOutputTokens: number | null;
  /** All other parameters, as sent in the protocol. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A response, independent of the protocol. */
export type Reply =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly cutOff?: boolean;
      readonly withoutUsage?: boolean;
    }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'silence' }
  | {
      readonly kind: 'failure';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** One protocol: parses its requests and writes its responses. */
export interface Dialect {
  read(request: IncomingMessage, body: unknown): AskedQuestion;
  text(text: string, cutOff: boolean, withUsage: boolean): unknown;
  readonly blocked: unknown;
  readonly nothing: unknown;
}

/** A server on loopback with a model's protocol and scripted responses. */
export interface ModelServer extends AsyncDisposable {
  readonly origin: string;
  readonly asked: AskedQuestion[];
  answer(responder: (question: AskedQuestion, count: number) => Reply | Promise<Reply>): void;
}

export async function startModelServer(dialect: Dialect): Promise<ModelServer> {
  const asked: AskedQuestion[] = [];
  let respond: (question: AskedQuestion, count: number) => Reply | Promise<Reply> = () => ({
    kind: 'nothing',
  });
  const server: Server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = dialect.read(request, JSON.parse(Buffer.concat(chunks).toString('utf8')));
    asked.push(question);
    const reply = await respond(question, asked.length);
    if (reply.kind === 'reset') return void response.destroy();
    if (reply.kind === 'silence') return;
    const { status, body, headers } = wire(reply, dialect);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    answer(responder) {
      respond = responder;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function wire(reply: Exclude<Reply, { kind: 'reset' | 'silence' }>, dialect: Dialect) {
  switch (reply.kind) {
    case 'text':
      return {
        status: 200,
        body: dialect.text(reply.text, reply.cutOff ?? false, !(reply.withoutUsage ?? false)),
        headers: {},
      };
    case 'blocked':
      return { status: 200, body: dialect.blocked, headers: {} };
    case 'nothing':
      return { status: 200, body: dialect.nothing, headers: {} };
    case 'nonsense':
      return { status: 200, body: '<html>hello from a proxy</html>', headers: {} };
    case 'failure':
      return { status: reply.status, body: reply.body, headers: reply.headers ?? {} };
  }
}
