/** What is free of charge a day (A19). */
export const FREE_TIER: Usage = { reads: 50_000, writes: 20_000, deletes: 20_000 };

export interface Usage {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}

export const NO_USAGE: Usage = { reads: 0, writes: 0, deletes: 0 };

export function addUsage(one: Usage, other: Partial<Usage>): Usage {
  return {
    reads: one.reads + (other.reads ?? 0),
    writes: one.writes + (other.writes ?? 0),
    deletes: one.deletes + (other.deletes ?? 0),
  };
}

const PACIFIC = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Los_Angeles',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day that Firestore's quota counts by: it ends at midnight in California. */
export function quotaDay(now: number): string {
  return PACIFIC.format(now);
}
