/** The timelines cannot be reached now. Home is read from the services meanwhile; local and global are not there (C18). */
export class TimelinesUnavailableError extends Error {
  override readonly name = 'TimelinesUnavailableError';

  constructor(options?: ErrorOptions) {
    super('The timelines cannot be reached now. Try again in a moment.', options);
  }
}
