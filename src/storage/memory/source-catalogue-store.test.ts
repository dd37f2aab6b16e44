import { sourceCatalogueContract } from '../../sources/contract/source-catalogue-store.ts';
import { MemorySourceCatalogueStore } from './source-catalogue-store.ts';

sourceCatalogueContract('memory', async () => ({
  store: new MemorySourceCatalogueStore(),
  reopen: () => null,
  dispose: async () => {},
}));
