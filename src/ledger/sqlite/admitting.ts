import type { ItemKey, Sighting } from '../../item/item.ts';
import { admitted, type Standing } from '../../item/lifecycle.ts';
import { summaryView } from '../../item/views.ts';
import type { Connection } from '../../sqlite/connection.ts';
import { whyRefused } from '../check-sighting.ts';
import type { AdmitOptions, AdmitOutcome } from '../ledger.ts';
import { factsOf } from './rows.ts';
import { tally } from './tallies.ts';
import { toTimestamp } from './timestamps.ts';

interface Known {
  readonly id: number;
  readonly sourceId: string;
}

/** One batch, inside a transaction. */
export function admit(
  db: Connection,
  sightings: readonly Sighting[],
  options: AdmitOptions,
  now: number,
): AdmitOutcome[] {
  const known = knownItems(db, sightings);
  const swept = sweptKeys(db, sightings, known);
  const added = { waiting: 0, baseline: 0 };
  const outcomes = sightings.map((sighting): AdmitOutcome => {
    if (whyRefused(sighting) !== null) return 'refused';
    const there = known.get(sighting.key);
    if (there !== undefined) {
      if (there.sourceId !== sighting.sourceId) seeAgain(db, there.id, sighting, now);
      return 'known';
    }
    if (swept.has(sighting.key)) return 'swept';
    const firstContact = options.baseline?.(sighting) ?? false;
    const id = insert(db, sighting, admitted(now, firstContact), options, now);
    known.set(sighting.key, { id, sourceId: sighting.sourceId });
    added[firstContact ? 'baseline' : 'waiting'] += 1;
    return firstContact ? 'baseline' : 'new';
  });
  tally(db, 'waiting', 'none', added.waiting);
  tally(db, 'baseline', 'first_contact', added.baseline);
  return outcomes;
}

function knownItems(db: Connection, sightings: readonly Sighting[]): Map<ItemKey, Known> {
  const rows = db.all(
    `SELECT j.value AS key, i.id, g.source_id FROM json_each(?) j CROSS JOIN items i ON i.url = j.value
     CROSS JOIN sightings g ON g.item_id = i.id AND g.nth = 0`,
    JSON.stringify(sightings.map((sighting) => sighting.key)),
  );
  return new Map(
    rows.map((row) => [String(row.key) as ItemKey, { id: Number(row.id), sourceId: String(row.source_id) }]),
  );
}

function sweptKeys(
  db: Connection,
  sightings: readonly Sighting[],
  known: ReadonlyMap<ItemKey, Known>,
): ReadonlySet<ItemKey> {
  const asked = sightings.map((sighting) => sighting.key).filter((key) => !known.has(key));
  return asked.length === 0 ? new Set() : new Set(tombstonesAmong(db, asked));
}

export function tombstonesAmong(db: Connection, keys: readonly ItemKey[]): ItemKey[] {
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
    `INSERT INTO standings (item_id, state, reason, checked_at, published, turn, handed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    standing.state,
    standing.reason,
    now,
    sighting.publishedAt,
    turn,
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
