import type { Migration } from '../../../sqlite/database.ts';
import { items } from './001-items.ts';
import { standings } from './002-standings.ts';
import { outbox } from './003-outbox.ts';
import { tombstones } from './004-tombstones.ts';
import { destinations } from './005-destinations.ts';
import { lines } from './006-lines.ts';
import { claims } from './007-claims.ts';
import { metSources } from './008-met-sources.ts';
import { ownUrls } from './009-own-urls.ts';

/** Append only: a released step is never edited or removed. */
export const MIGRATIONS: readonly Migration[] = [
  items,
  standings,
  outbox,
  tombstones,
  destinations,
  lines,
  claims,
  metSources,
  ownUrls,
];
