import { describe } from 'vitest';
import { ledgerContract } from '../contract/all.ts';
import { openMemoryLedger } from './open.ts';

describe('the memory ledger', () => ledgerContract((options) => openMemoryLedger(options)));
