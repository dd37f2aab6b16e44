import { type EventEmitter, once } from 'node:events';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type {
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ServerError } from 'nice-grpc';
import { errorMessage } from '../../telemetry/errors.ts';
import type { Observe } from './observe.ts';

/** What a handler knows of its call besides the request. */
export interface Call {
  /** The first value of this name in the metadata. */
  header(name: string): string | undefined;
  /** Aborted when the client has cancelled the call or its deadline is over. */
  readonly signal: AbortSignal;
}

interface MessageType {
  encode(message: never, writer: never): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

interface ProtoMethod {
  readonly name: string;
  readonly requestType: MessageType;
  readonly requestStream: false;
  readonly responseType: MessageType;
  readonly responseStream: boolean;
}

/** A service as ts-proto describes it. */
interface ProtoServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, ProtoMethod>>;
}

type MessageOf<Type> = Type extends { decode(input: Uint8Array): infer T } ? T : never;
type Answers<M extends ProtoMethod> = M['responseStream'] extends true
  ? AsyncIterable<MessageOf<M['responseType']>>
  : Promise<MessageOf<M['responseType']>>;

/** The handlers of a service, one for each method. */
export type Service<D extends ProtoServiceDefinition> = {
  readonly [Name in keyof D['methods']]: (
    request: MessageOf<D['methods'][Name]['requestType']>,
    call: Call,
  ) => Answers<D['methods'][Name]>;
};

type Handler = (request: unknown, call: Call) => Promise<unknown> | AsyncIterable<unknown>;

/** Registers plain handlers of grpc-js: layers above it cost a call more than it takes to answer. */
export function addService<D extends ProtoServiceDefinition>(
  server: Server,
  definition: D,
  service: Service<D>,
  observe: Observe,
): void {
  const methods: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  for (const [key, method] of Object.entries(definition.methods)) {
    const route = `${definition.fullName}/${method.name}`;
    const handle = service[key] as Handler;
    methods[key] = {
      path: `/${route}`,
      requestStream: false,
      responseStream: method.responseStream,
      requestSerialize: createSerializer(method.requestType),
      requestDeserialize: (bytes) => method.requestType.decode(bytes),
      responseSerialize: createSerializer(method.responseType),
      responseDeserialize: (bytes) => method.responseType.decode(bytes),
    };
    handlers[key] = method.responseStream
      ? (call: ServerWritableStream<unknown, unknown>) => {
          void serveStream(route, call, call.request, handle as StreamHandler, observe);
        }
      : serveUnary(route, handle as UnaryHandler, observe);
  }
  server.addService(methods, handlers);
}

type UnaryHandler = (request: unknown, call: Call) => Promise<unknown>;
type StreamHandler = (request: unknown, call: Call) => AsyncIterable<unknown>;

function serveUnary(route: string, handle: UnaryHandler, observe: Observe) {
  return (call: ServerUnaryCall<unknown, unknown>, reply: sendUnaryData<unknown>): void => {
    const { request } = call;
    const live = new LiveCall(call);
    observe(route, request, live, () => handle(request, live)).then(
      (answer) => {
        live.end();
        reply(null, answer);
      },
      ({ code, details }: ServerError) => {
        live.end();
        reply({ code, details });
      },
    );
  };
}

/** Answers what the handler yields, as fast as the client takes it. */
export async function serveStream(
  route: string,
  call: ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>,
  request: unknown,
  handle: StreamHandler,
  observe: Observe,
): Promise<void> {
  const live = new LiveCall(call);
  try {
    await observe(route, request, live, async () => {
      for await (const answer of handle(request, live))
        if (!call.write(answer)) await once(call, 'drain', { signal: live.signal });
    });
    call.end();
  } catch (error) {
    const { code, details } = error as ServerError;
    call.emit('error', { code, details });
  }
}

type GrpcCall = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'cancelled'> & EventEmitter;

class LiveCall implements Call {
  readonly #call: GrpcCall;
  #controller: AbortController | null = null;
  #ended = false;

  constructor(call: GrpcCall) {
    this.#call = call;
  }

  /** grpc-js says of every call in the end that it was cancelled; of one that was answered that is no news. */
  end(): void {
    this.#ended = true;
  }

  header(name: string): string | undefined {
    const [value] = this.#call.metadata.get(name);
    return value?.toString();
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#call.cancelled) controller.abort();
      else
        this.#call.once('cancelled', () => {
          if (!this.#ended) controller.abort();
        });
    }
    return this.#controller.signal;
  }
}

/** Keeps its buffer from one message to the next, unless that was a large one: growing it costs more than writing into it. */
let writer = new BinaryWriter();
const MAX_RETAINED_BUFFER_BYTES = 64 * 1024;

function createSerializer(type: MessageType): (message: unknown) => Buffer {
  return (message) => {
    try {
      const { buffer, byteOffset, byteLength } = type.encode(message as never, writer as never).finish();
      if (byteLength > MAX_RETAINED_BUFFER_BYTES) writer = new BinaryWriter();
      return Buffer.from(buffer, byteOffset, byteLength);
    } catch (error) {
      // What was half written must not come before the next message.
      writer = new BinaryWriter();
      throw error;
    }
  };
}

interface DecodableMethod {
  readonly requestType: { decode(input: BinaryReader | Uint8Array): unknown };
}

interface DecodableDefinition {
  readonly methods: Readonly<Record<string, DecodableMethod>>;
}

/** Stands for a request whose bytes are no message; it reaches the handler's front and goes no further. */
class UndecodableRequest {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const readText = (bytes: Uint8Array): string => strictText.decode(bytes);

/**
 * The same service, but bytes that are no message do not end in gRPC's bare INTERNAL: they come through as such, and
 * `unreadable` tells them apart (C19). Text that is no UTF-8 counts as that too, instead of being changed on the way.
 */
export function withLenientDecoding<Service extends DecodableDefinition>(definition: Service): Service {
  const methods = Object.entries(definition.methods).map(([name, method]) => {
    const { requestType } = method;
    const decode = (bytes: Uint8Array): unknown => {
      try {
        return requestType.decode(new BinaryReader(bytes, readText));
      } catch (error) {
        return new UndecodableRequest(errorMessage(error));
      }
    };
    return [name, { ...method, requestType: { ...requestType, decode } }];
  });
  return { ...definition, methods: Object.fromEntries(methods) as Service['methods'] };
}

/** Why these bytes are no message; `null` where they are one. */
export function undecodableReason(request: unknown): string | null {
  return request instanceof UndecodableRequest ? request.why : null;
}
