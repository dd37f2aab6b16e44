/**
 * Which streams are open, over all copies (C3). A copy that dies leaves its entries behind; they go by themselves after
 * their time to live, which `keep` prolongs.
 */
export interface ConnectionRegistry extends AsyncDisposable {
  /** Enters a stream unless this user has `atMost` already. */
  enter(userId: string, connectionId: string, atMost: number): Promise<boolean>;
  leave(userId: string, connectionId: string): Promise<void>;
  /** These are still open. */
  keep(connections: readonly OpenConnection[]): Promise<void>;
}

export interface OpenConnection {
  readonly userId: string;
  readonly connectionId: string;
}
