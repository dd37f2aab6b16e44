/**
 * The right to do something that only one copy of the program may do at a time. A lease ends by itself when its holder stops
 * renewing it, so a copy that died holds nothing for longer than that.
 */
export interface LeaseStore extends AsyncDisposable {
  readonly pace: LeasePace;
  /** Takes the right; `null` while another holds it. */
  take(name: string, owner: string, leaseMs: number): Promise<Lease | null>;
  /** False when the right was lost: it ran out, or another took it since. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Gives it back before its end, so that nobody has to wait for that. Changes nothing where it was lost. */
  release(lease: Lease): Promise<void>;
  /** Who holds it now. */
  holder(name: string): Promise<Holder | null>;
}

/** How long a lease lasts without being renewed, and how often the store may be asked, in milliseconds. */
export interface LeasePace {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How often those look who stand by: a copy that died is replaced within a lease and one look. */
  readonly lookEveryMs: number;
}

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Grows with every taking. Whoever acts for the lease shows it, and what has seen a later one refuses (fencing). */
  readonly token: number;
}

export interface Holder extends Lease {
  readonly until: number;
}
