/** The timelines cannot be reached now. Home is read from the services meanwhile; local and global are not there (C18). */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';

  constructor(options?: ErrorOptions) {
    super('The timelines cannot be reached now. Try again in a moment.', options);
  }
}
