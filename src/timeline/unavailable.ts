import { OperationalError } from '../telemetry/errors.ts';

/** The timelines cannot be reached now. Home is read from the services meanwhile; local and global are not there (C18). */
export class TimelinesUnavailableError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'TimelinesUnavailableError';

  constructor(options?: ErrorOptions) {
    super('The timelines cannot be reached now. Try again in a moment.', options);
  }
}
