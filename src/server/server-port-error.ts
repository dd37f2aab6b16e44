/** The server cannot listen where it should; the message says why and what to do. */
export class ServerPortError extends Error {
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

  /** `null` where the error has nothing to do with the address. */
  static from(error: unknown, host: string, port: number): ServerPortError | null {
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    const sentence = SENTENCES[code]?.(host, port);
    return sentence === undefined ? null : new ServerPortError(host, port, code, sentence, error);
  }
}

const SENTENCES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use. Is the program running already? Stop the other one, or set server.port to another port (0 picks a free one).`,
  EACCES: (host, port) =>
    `Port ${port} on ${host} may not be used by this account. Set server.port to 1024 or above.`,
  EADDRNOTAVAIL: (host) =>
    `This machine has no address ${host}. Set server.host to 127.0.0.1, or to 0.0.0.0 for every address.`,
  ENOTFOUND: (host) => `There is no host named ${host}. Set server.host to 127.0.0.1, or to 0.0.0.0.`,
};
