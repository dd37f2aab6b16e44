interface MessageType {
  decode(...args: never[]): unknown;
}

interface Method {
  readonly requestType: MessageType;
}

interface Definition {
  readonly methods: Readonly<Record<string, Method>>;
}

/** Stands for a request whose bytes are no message; it reaches the handler's front and goes no further. */
class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/**
 * The same service, but bytes that are no message do not end in gRPC's bare INTERNAL: they come through as such, and
 * `unreadable` tells them apart (C19).
 */
export function gentle<Service extends Definition>(definition: Service): Service {
  const methods = Object.entries(definition.methods).map(([name, method]) => {
    const { requestType } = method;
    const decode = (...args: never[]): unknown => {
      try {
        return requestType.decode(...args);
      } catch (error) {
        return new Unreadable(error instanceof Error ? error.message : String(error));
      }
    };
    return [name, { ...method, requestType: { ...requestType, decode } }];
  });
  return { ...definition, methods: Object.fromEntries(methods) as Service['methods'] };
}

/** Why these bytes are no message; `null` where they are one. */
export function unreadable(request: unknown): string | null {
  return request instanceof Unreadable ? request.why : null;
}
