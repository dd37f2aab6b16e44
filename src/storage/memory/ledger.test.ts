import { describe } from 'vitest';
import { ledgerContract } from '../../ledger/contract/ledger.ts';
import { messageOrderContract } from '../../outbox/contract/message-order.ts';
import { openMemoryLedger } from './ledger.ts';

describe('the memory ledger', () => {
  ledgerContract((options) => openMemoryLedger(options));
  messageOrderContract(() => {
    let memory: ReturnType<typeof openMemoryLedger> | null = null;
    return (options) => (memory ??= openMemoryLedger(options));
  });
});
