import { countsLogContract } from '../../ledger/contract/counts-log.ts';
import { SqliteCountsLog } from './counts-log.ts';

countsLogContract('SQLite', async () => new SqliteCountsLog(':memory:'));
