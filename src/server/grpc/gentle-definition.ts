import { BinaryReader } from '@bufbuild/protobuf/wire';
import { errorMessage } from '../../telemetry/errors.ts';

interface Method {
  readonly requestType: { decode(input: BinaryReader | Uint8Array): unknown };
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

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const readText = (bytes: Uint8Array): string => strictText.decode(bytes);

/**
 * The same service, but bytes that are no message do not end in gRPC's bare INTERNAL: they come through as such, and
 * `unreadable` tells them apart (C19). Text that is no UTF-8 counts as that too, instead of being changed on the way.
 */
export function gentle<Service extends Definition>(definition: Service): Service {
  const methods = Object.entries(definition.methods).map(([name, method]) => {
    const { requestType } = method;
    const decode = (bytes: Uint8Array): unknown => {
      try {
        return requestType.decode(new BinaryReader(bytes, readText));
      } catch (error) {
        return new Unreadable(errorMessage(error));
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
