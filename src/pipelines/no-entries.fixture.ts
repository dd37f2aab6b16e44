import type { PublishDependencies } from './publish.ts';

/** A reader without entries: items have no enclosures. */
export const noEntries: PublishDependencies['entries'] = { findByKeys: async () => new Map() };
