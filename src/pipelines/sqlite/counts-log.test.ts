import { describeCountsLog } from '../contract/counts-log-contract.ts';
import { SqliteCountsLog } from './counts-log.ts';

describeCountsLog('SQLite', async () => new SqliteCountsLog(':memory:'));
