import { createHash } from 'node:crypto';
import { originalUrl } from '../../../item/identity.ts';
import type { ItemKey, Sighting } from '../../../item/item.ts';
import { admittedStatus, type ItemStatus } from '../../../item/lifecycle.ts';
import { summaryView } from '../../../item/views.ts';
import type { AdmitOptions, AdmitOutcome } from '../../../ledger/ledger.ts';
import { sightingProblem } from '../../../ledger/validation.ts';
import type { Connection } from '../connection.ts';
import { unmarkChanged } from './adopt.ts';
import { addToTally, factsOf, toTimestamp } from './rows.ts';

/** Sightings of a batch that are not known already from the same source. */
interface KnownSightings {
  /** Indexes in the batch of unknown keys. */
  readonly unknown: ReadonlySet<number>;
  /** Indexes of items that another source showed first, with their IDs. */
  readonly elsewhere: ReadonlyMap<number, number>;
}

/** Admits one batch, inside a transaction. */
export function admit(
  db: Connection,
  sightings: readonly Sighting[],
  options: AdmitOptions,
  now: number,
): AdmitOutcome[] {
  const found = findKnown(db, sightings);
  const recorded = findByUrl(db, sightings, found);
  const swept = sweptKeys(db, sightings, found);
  const added = new Map<ItemKey, { readonly id: number; readonly sourceId: string }>();
  const tallies = { waiting: 0, baseline: 0 };
  // Of items that share a link, the one whose key is the link has it in the column, whichever comes first.
  const owned = new Set(
    sightings.filter(({ key }) => !String(key).includes(ITEM_MARKER)).map(({ url }) => url),
  );
  const outcomes = sightings.map((sighting, place): AdmitOutcome => {
    if (sightingProblem(sighting) !== null) return 'refused';
    const elsewhere = found.elsewhere.get(place) ?? recorded.items.get(place);
    if (elsewhere !== undefined) recordSighting(db, elsewhere, sighting, now);
    if (!found.unknown.has(place) || elsewhere !== undefined) return 'known';
    if (swept.has(sighting.key) || swept.has(originalUrl(sighting) ?? sighting.key)) return 'swept';
    const twin = added.get(sighting.key);
    if (twin !== undefined) {
      if (twin.sourceId !== sighting.sourceId) recordSighting(db, twin.id, sighting, now);
      return 'known';
    }
    const firstContact = options.baseline?.(sighting) ?? false;
    const isUsed = (url: string): boolean => {
      if (url !== sighting.url) return hasUrl(db, url);
      return recorded.urls.has(url) || (sighting.key.includes(ITEM_MARKER) && owned.has(url));
    };
    const url = urlColumn(sighting, isUsed);
    recorded.urls.add(url);
    const id = insertItem(db, sighting, url, admittedStatus(now, firstContact), options, now);
    added.set(sighting.key, { id, sourceId: sighting.sourceId });
    tallies[firstContact ? 'baseline' : 'waiting'] += 1;
    return firstContact ? 'baseline' : 'new';
  });
  addToTally(db, 'waiting', 'none', tallies.waiting);
  addToTally(db, 'baseline', 'first_contact', tallies.baseline);
  return outcomes;
}

/** Most are known from the same source: the query returns only the others. */
function findKnown(db: Connection, sightings: readonly Sighting[]): KnownSightings {
  const unknown = new Set<number>();
  const elsewhere = new Map<number, number>();
  for (const [sourceId, places] of placesBySource(sightings)) {
    const rows = db.all(
      `SELECT j.key AS place, s.item_id FROM json_each(?) j LEFT JOIN standings s ON s.key = j.value
       LEFT JOIN sightings g ON g.item_id = s.item_id AND g.nth = 0 WHERE g.source_id IS NOT ?`,
      JSON.stringify(places.map((place) => sightings[place]?.key)),
      sourceId,
    );
    for (const row of rows) {
      const place = places[Number(row.place)] ?? -1;
      if (row.item_id === null) unknown.add(place);
      else elsewhere.set(place, Number(row.item_id));
    }
  }
  return { unknown, elsewhere };
}

/** Unknown keys whose URL has a row. */
interface FoundByUrl {
  /** Indexes of items that are known under another key, with their IDs. */
  readonly items: Map<number, number>;
  /** URLs that a row has. */
  readonly urls: Set<string>;
}

/**
 * A URL that has a row is known (B5), whatever its key: the summary bot recorded it, or under other identity rules. Where
 * a feed's items are distinguished by more than their links, a sighting matches a row of the bot if no other sighting has
 * the link, or if it also has the row's title. From then on the item is known by this key.
 */
function findByUrl(db: Connection, sightings: readonly Sighting[], { unknown }: KnownSightings): FoundByUrl {
  const recorded: FoundByUrl = { items: new Map(), urls: new Set() };
  const places = [...unknown].filter((place) => {
    const sighting = sightings[place];
    return sighting !== undefined && sightingProblem(sighting) === null;
  });
  if (places.length === 0) return recorded;
  const rows = db.all(
    `SELECT j.key AS place, i.id, i.title, s.key, s.item_id, g.source_id,
       EXISTS (SELECT 1 FROM sightings o WHERE o.item_id = i.id AND o.nth > 0) AS seen
     FROM json_each(?) j CROSS JOIN items i ON i.url = j.value LEFT JOIN standings s ON s.item_id = i.id
     LEFT JOIN sightings g ON g.item_id = i.id AND g.nth = 0`,
    JSON.stringify(places.map((place) => storableUrl(sightings[place]))),
  );
  for (const row of rows) {
    const place = places[Number(row.place)] ?? -1;
    const sighting = sightings[place];
    if (sighting === undefined) continue;
    recorded.urls.add(sighting.url);
    const isForeign = row.source_id === '' || row.item_id === null;
    const isSame = sighting.key.includes(ITEM_MARKER)
      ? isForeign && row.seen === 0 && (row.title === sighting.title || !isSharedUrl(sighting.url, sightings))
      : isForeign || !String(row.key).includes(ITEM_MARKER);
    if (!isSame) continue;
    recorded.items.set(place, Number(row.id));
    db.run('INSERT OR IGNORE INTO aliases (key, item_id) VALUES (?, ?)', sighting.key, Number(row.id));
  }
  const aliases = db.all(
    'SELECT j.key AS place, a.item_id FROM json_each(?) j CROSS JOIN aliases a ON a.key = j.value',
    JSON.stringify(places.map((place) => sightings[place]?.key)),
  );
  for (const row of aliases) recorded.items.set(places[Number(row.place)] ?? -1, Number(row.item_id));
  return recorded;
}

function isSharedUrl(url: string, sightings: readonly Sighting[]): boolean {
  return sightings.filter((sighting) => sighting.url === url).length > 1;
}

function storableUrl(sighting: Sighting | undefined): string | null {
  return sighting !== undefined && isStorable(sighting.url) ? sighting.url : null;
}

/** Part of keys where a link alone does not identify an item (see `item/identity.ts`). */
const ITEM_MARKER = '#item=';

function urlAt(sightings: readonly Sighting[], place: number): string | null {
  const sighting = sightings[place];
  return sighting === undefined || sightingProblem(sighting) !== null ? null : originalUrl(sighting);
}

function placesBySource(sightings: readonly Sighting[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { sourceId }] of sightings.entries()) {
    const source = String(sourceId);
    const of = places.get(source);
    if (of === undefined) places.set(source, [place]);
    else of.push(place);
  }
  return places;
}

function sweptKeys(
  db: Connection,
  sightings: readonly Sighting[],
  { unknown }: KnownSightings,
): ReadonlySet<string> {
  const keys = [...unknown].flatMap((place) => {
    const url = urlAt(sightings, place);
    return [
      ...(sightings[place] === undefined ? [] : [sightings[place].key]),
      ...(url === null ? [] : [url]),
    ];
  });
  return keys.length === 0 ? new Set() : new Set(tombstonesAmong(db, keys));
}

export function tombstonesAmong(db: Connection, keys: readonly string[]): ItemKey[] {
  return db
    .all('SELECT t.key FROM json_each(?) j CROSS JOIN tombstones t ON t.key = j.value', JSON.stringify(keys))
    .map((row) => String(row.key) as ItemKey);
}

function insertItem(
  db: Connection,
  sighting: Sighting,
  url: string,
  admitted: ItemStatus,
  options: AdmitOptions,
  now: number,
): number {
  const { status, reason } = summaryView(admitted);
  const stamp = toTimestamp(now);
  const id = Number(
    db
      .prepare(
        `INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
         VALUES (?, ?, ?, ?, ?, 0, ?, ?)`,
      )
      .run(url, sighting.title, toTimestamp(sighting.publishedAt), status, reason, stamp, stamp)
      .lastInsertRowid,
  );
  unmarkChanged(db, id);
  const turn = admitted.state === 'waiting' ? now : null;
  db.run(
    `INSERT INTO standings (item_id, key, state, reason, checked_at, published, turn, settled_at, handed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    sighting.key,
    admitted.state,
    admitted.reason,
    now,
    sighting.publishedAt,
    turn,
    turn === null ? now : null,
    options.handOver && turn !== null ? 0 : null,
  );
  db.run(
    'INSERT INTO sightings (item_id, nth, source_id, seen_at, facts) VALUES (?, 0, ?, ?, ?)',
    id,
    sighting.sourceId,
    now,
    factsOf(sighting, url),
  );
  return id;
}

/** Records that another source shows the item too, once per source. */
function recordSighting(db: Connection, id: number, sighting: Sighting, now: number): void {
  db.run(
    `INSERT INTO sightings (item_id, nth, source_id, seen_at, facts)
     SELECT ?1, (SELECT ifnull(max(nth) + 1, 0) FROM sightings WHERE item_id = ?1), ?2, ?3, ?4
     WHERE NOT EXISTS (SELECT 1 FROM sightings WHERE item_id = ?1 AND source_id = ?2)`,
    id,
    sighting.sourceId,
    now,
    JSON.stringify({ sourceName: sighting.sourceName, url: sighting.url, title: sighting.title }),
  );
}

const MAX_URL_LENGTH = 65_536;

/**
 * Value of the column `url`: the feed's own URL. The column is unique, so of several items with one link the first has the
 * link itself, and each other one the link followed by `#item=` and its distinguishing ID. An item whose URL cannot be
 * stored as text has its key instead.
 */
export function urlColumn(
  { key, url }: { readonly key: string; readonly url: string },
  isUsed: (url: string) => boolean,
): string {
  const own = isStorable(url) ? url : key;
  if (!isUsed(own)) return own;
  const [, id] = key.split('#item=');
  if (id !== undefined && !isUsed(`${own}#item=${id}`)) return `${own}#item=${id}`;
  return `${own}#item=sha256:${createHash('sha256').update(key).digest('hex')}`;
}

export function isStorable(url: string): boolean {
  return url !== '' && url.length <= MAX_URL_LENGTH && url.isWellFormed() && !url.includes('\0');
}

export function hasUrl(db: Connection, url: string): boolean {
  return db.get('SELECT 1 AS there FROM items WHERE url = ?', url) !== undefined;
}
