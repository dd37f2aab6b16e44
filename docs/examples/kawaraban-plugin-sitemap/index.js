import { resolve } from 'node:path';
import { definePlugin } from 'kawaraban';
import { z } from 'zod';
import { carefulJudge } from './careful-judge.js';
import { filePublisher } from './file-publisher.js';
import { FolderSourceStore } from './folder-source-store.js';
import { sitemapSource } from './sitemap-source.js';

export default definePlugin({
  name: 'kawaraban-plugin-sitemap',
  apiVersion: 1,
  sources: {
    sitemap: {
      settings: z.strictObject({ url: z.url() }),
      create: ({ url }, { id, name, fetcher, clock }) => sitemapSource({ id, name, url, fetcher, clock }),
    },
  },
  judges: {
    careful: {
      settings: z.strictObject({ first: z.string().default('local'), second: z.string().default('local') }),
      create: async ({ first, second }, { id, judge }) =>
        carefulJudge(id, await judge(first), await judge(second)),
    },
  },
  publishers: {
    file: {
      settings: z.strictObject({ path: z.string() }),
      create: ({ path }, { id, folder }) => filePublisher(id, resolve(folder, path)),
    },
  },
  sourceStores: {
    folder: {
      settings: z.strictObject({ path: z.string() }),
      create: ({ path }, { folder }) => new FolderSourceStore(resolve(folder, path)),
    },
  },
});
