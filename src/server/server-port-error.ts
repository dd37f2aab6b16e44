import { OperationalError } from '../telemetry/errors.ts';

/** The server cannot listen on its address; the message says why and what to do. */
export class ServerPortError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'ServerPortError';
  readonly host: string;
  readonly port: number;
  readonly code: string;

  private constructor(host: string, port: number, code: string, sentence: string, cause: unknown) {
    super(sentence, { cause });
    this.host = host;
    this.port = port;
    this.code = code;
  }

  /** `null` if the error is not about the address. */
  static from(
    error: unknown,
    host: string,
    port: number,
    /** Section of the configuration. */
    section = 'server',
  ): ServerPortError | null {
    const code = codeOf(error);
    const sentence = PORT_ERROR_MESSAGES[code]?.(host, port, section);
    return sentence === undefined ? null : new ServerPortError(host, port, code, sentence, error);
  }
}

/** gRPC errors have the code only in their message. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.message.startsWith('Name resolution failed')) return 'ENOTFOUND';
  return /\bE[A-Z]{3,}\b/.exec(error.message)?.[0] ?? '';
}

const PORT_ERROR_MESSAGES: Readonly<Record<string, (host: string, port: number, section: string) => string>> =
  {
    EADDRINUSE: (host, port, section) =>
      `Port ${port} on ${host} is in use. Is the program running already? Stop the other one, or set ${section}.port to another port (0 picks a free one).`,
    EACCES: (host, port, section) =>
      `Port ${port} on ${host} may not be used by this account. Set ${section}.port to 1024 or above.`,
    EADDRNOTAVAIL: (host, _port, section) =>
      `This machine has no address ${host}. Set ${section}.host to 127.0.0.1, or to 0.0.0.0 for every address.`,
    ENOTFOUND: (host, _port, section) =>
      `There is no host named ${host}. Set ${section}.host to 127.0.0.1, or to 0.0.0.0.`,
  };
