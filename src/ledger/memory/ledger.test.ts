import { describe } from 'vitest';
import { ledgerContract } from '../contract/all.ts';
import { oneInstantContract } from '../contract/one-instant.ts';
import { openMemoryLedger } from './open.ts';

describe('the memory ledger', () => {
  ledgerContract((options) => openMemoryLedger(options));
  oneInstantContract(() => {
    let memory: ReturnType<typeof openMemoryLedger> | null = null;
    return (options) => (memory ??= openMemoryLedger(options));
  });
});
