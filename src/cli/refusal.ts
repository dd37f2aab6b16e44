import { EXIT, type ExitCode } from './exit-codes.ts';

/** Something a person can put right. It ends the command with one sentence and never with a stack trace. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly exitCode: ExitCode;

  constructor(sentence: string, exitCode: ExitCode = EXIT.failure, options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
  }
}
