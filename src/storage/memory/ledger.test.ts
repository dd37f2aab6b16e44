import { describe } from 'vitest';
import { ledgerContract } from '../../ledger/contract/ledger.ts';
import { messageOrderContract } from '../../outbox/contract/message-order.ts';
import { openMemoryLedger } from './ledger.ts';

describe('the memory ledger', () => {
  ledgerContract((options) => openMemoryLedger(options));
  messageOrderContract(() => {
    let stores: ReturnType<typeof openMemoryLedger> | null = null;
    return (options) => (stores ??= openMemoryLedger(options));
  });
});
