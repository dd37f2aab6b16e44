/** A pipeline's whole memory as lines of JSON, out and in; for the command line. */
export { exportLedger, importLedger } from '../ledger/transfer.ts';
