/** Firestore's timestamps begin with year 1; what is older is shown as that. The exact time lies in the ledger's own map. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');

export function timeOf(ms: number): Date {
  return new Date(Math.max(EARLIEST, ms));
}
