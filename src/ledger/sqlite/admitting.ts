import { originalUrl } from '../../item/identity.ts';
import type { ItemKey, Sighting } from '../../item/item.ts';
import { admitted, type Standing } from '../../item/lifecycle.ts';
import { summaryView } from '../../item/views.ts';
import type { Connection } from '../../sqlite/connection.ts';
import { whyRefused } from '../check-sighting.ts';
import type { AdmitOptions, AdmitOutcome } from '../ledger.ts';
import { factsOf } from './rows.ts';
import { tally } from './tallies.ts';
import { toTimestamp } from './timestamps.ts';

/** What the store says of the sightings of a batch that are not simply known already. */
interface Found {
  /** Places in the batch of keys that nobody has seen. */
  readonly unknown: ReadonlySet<number>;
  /** Places of items that were seen at another source first, with their IDs. */
  readonly elsewhere: ReadonlyMap<number, number>;
}

/** One batch, inside a transaction. */
export function admit(
  db: Connection,
  sightings: readonly Sighting[],
  options: AdmitOptions,
  now: number,
): AdmitOutcome[] {
  const found = look(db, sightings);
  const adopted = adoptedPlaces(db, sightings, found);
  const swept = sweptKeys(db, sightings, found);
  const added = new Map<ItemKey, { readonly id: number; readonly sourceId: string }>();
  const tallies = { waiting: 0, baseline: 0 };
  const outcomes = sightings.map((sighting, place): AdmitOutcome => {
    if (whyRefused(sighting) !== null) return 'refused';
    const elsewhere = found.elsewhere.get(place);
    if (elsewhere !== undefined) seeAgain(db, elsewhere, sighting, now);
    if (!found.unknown.has(place) || adopted.has(place)) return 'known';
    if (swept.has(sighting.key) || swept.has(originalUrl(sighting) ?? sighting.key)) return 'swept';
    const twin = added.get(sighting.key);
    if (twin !== undefined) {
      if (twin.sourceId !== sighting.sourceId) seeAgain(db, twin.id, sighting, now);
      return 'known';
    }
    const firstContact = options.baseline?.(sighting) ?? false;
    const id = insert(db, sighting, admitted(now, firstContact), options, now);
    added.set(sighting.key, { id, sourceId: sighting.sourceId });
    tallies[firstContact ? 'baseline' : 'waiting'] += 1;
    return firstContact ? 'baseline' : 'new';
  });
  tally(db, 'waiting', 'none', tallies.waiting);
  tally(db, 'baseline', 'first_contact', tallies.baseline);
  return outcomes;
}

/** Most are known, and from the same source as before: the store answers only for the others. */
function look(db: Connection, sightings: readonly Sighting[]): Found {
  const unknown = new Set<number>();
  const elsewhere = new Map<number, number>();
  for (const [sourceId, places] of bySource(sightings)) {
    const rows = db.all(
      `SELECT j.key AS place, i.id FROM json_each(?) j LEFT JOIN items i ON i.url = j.value
       LEFT JOIN sightings g ON g.item_id = i.id AND g.nth = 0 WHERE g.source_id IS NOT ?`,
      JSON.stringify(places.map((place) => sightings[place]?.key)),
      sourceId,
    );
    for (const row of rows) {
      const place = places[Number(row.place)] ?? -1;
      if (row.id === null) unknown.add(place);
      else elsewhere.set(place, Number(row.id));
    }
  }
  return { unknown, elsewhere };
}

/** Places of items that the summary bot itself recorded, by the address that the source gives them. */
function adoptedPlaces(
  db: Connection,
  sightings: readonly Sighting[],
  { unknown }: Found,
): ReadonlySet<number> {
  const places = [...unknown].filter((place) => urlAt(sightings, place) !== null);
  if (places.length === 0) return new Set();
  const rows = db.all(
    `SELECT j.key AS place FROM json_each(?) j CROSS JOIN items i ON i.url = j.value
     CROSS JOIN sightings g ON g.item_id = i.id AND g.nth = 0 WHERE g.source_id = ''`,
    JSON.stringify(places.map((place) => urlAt(sightings, place))),
  );
  return new Set(rows.flatMap((row) => places[Number(row.place)] ?? []));
}

function urlAt(sightings: readonly Sighting[], place: number): string | null {
  const sighting = sightings[place];
  return sighting === undefined || whyRefused(sighting) !== null ? null : originalUrl(sighting);
}

function bySource(sightings: readonly Sighting[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { sourceId }] of sightings.entries()) {
    const source = String(sourceId);
    const of = places.get(source);
    if (of === undefined) places.set(source, [place]);
    else of.push(place);
  }
  return places;
}

function sweptKeys(db: Connection, sightings: readonly Sighting[], { unknown }: Found): ReadonlySet<string> {
  const asked = [...unknown].flatMap((place) => {
    const url = urlAt(sightings, place);
    return [
      ...(sightings[place] === undefined ? [] : [sightings[place].key]),
      ...(url === null ? [] : [url]),
    ];
  });
  return asked.length === 0 ? new Set() : new Set(tombstonesAmong(db, asked));
}

export function tombstonesAmong(db: Connection, keys: readonly string[]): ItemKey[] {
  return db
    .all('SELECT t.key FROM json_each(?) j CROSS JOIN tombstones t ON t.key = j.value', JSON.stringify(keys))
    .map((row) => String(row.key) as ItemKey);
}

function insert(
  db: Connection,
  sighting: Sighting,
  standing: Standing,
  options: AdmitOptions,
  now: number,
): number {
  const { status, reason } = summaryView(standing);
  const stamp = toTimestamp(now);
  const id = Number(
    db
      .prepare(
        `INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
         VALUES (?, ?, ?, ?, ?, 0, ?, ?)`,
      )
      .run(sighting.key, sighting.title, toTimestamp(sighting.publishedAt), status, reason, stamp, stamp)
      .lastInsertRowid,
  );
  const turn = standing.state === 'waiting' ? now : null;
  db.run(
    `INSERT INTO standings (item_id, state, reason, checked_at, published, turn, settled_at, handed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    standing.state,
    standing.reason,
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
    factsOf(sighting),
  );
  return id;
}

/** Another source carries it too; written down once per source. */
function seeAgain(db: Connection, id: number, sighting: Sighting, now: number): void {
  db.run(
    `INSERT INTO sightings (item_id, nth, source_id, seen_at, facts)
     SELECT ?1, (SELECT max(nth) + 1 FROM sightings WHERE item_id = ?1), ?2, ?3, ?4
     WHERE NOT EXISTS (SELECT 1 FROM sightings WHERE item_id = ?1 AND source_id = ?2)`,
    id,
    sighting.sourceId,
    now,
    JSON.stringify({ sourceName: sighting.sourceName, url: sighting.url, title: sighting.title }),
  );
}
