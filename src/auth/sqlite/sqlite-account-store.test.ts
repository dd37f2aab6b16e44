import { describeAccountStore } from '../contract/account-store-contract.ts';
import { SqliteAccountStore } from './sqlite-account-store.ts';

describeAccountStore('SQLite', async () => new SqliteAccountStore(':memory:'));
