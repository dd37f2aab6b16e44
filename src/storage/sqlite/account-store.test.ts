import { describeAccountStore } from '../../auth/contract/account-store.ts';
import { SqliteAccountStore } from './account-store.ts';

describeAccountStore('SQLite', async () => new SqliteAccountStore(':memory:'));
