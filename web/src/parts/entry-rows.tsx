import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useFocusAfterBack } from '../hooks.ts';
import { density, pictures } from '../reader/preferences.ts';
import { cardColumns } from '../wide.ts';
import { EntryRow, type RowEntry } from './entry-row.tsx';
import { Windowed } from './virtual-list.tsx';

const USUAL_HEIGHTS = { compact: 40, comfortable: 120, cards: 360 } as const;

interface EntryRowsProps {
  /** Names the list, for what is remembered of its rows. */
  readonly name: string;
  readonly entries: readonly RowEntry[];
  readonly mark?: ((text: string) => ComponentChildren) | undefined;
  /** Stands above the entry with this ID. */
  readonly divider?: { readonly before: number; readonly text: string } | null;
}

/** The entries of a list in the chosen density. */
export function EntryRows({ name, entries, mark, divider }: EntryRowsProps) {
  useFocusAfterBack(entries.map(({ id }) => id));
  const columns = density.value === 'cards' ? cardColumns.value : 1;
  const before = divider?.before;
  // The virtual list measures its rows again when it gets other rows.
  const rows = useMemo(() => inColumns(entries, columns, before), [entries, columns, before]);
  return (
    <Windowed
      name={`${name} ${density.value} ${pictures.value} ${columns}`}
      class="entries"
      rows={rows}
      keyOf={rowKey}
      usual={USUAL_HEIGHTS[density.value]}
      render={(row) => (
        <div key={rowKey(row)} class="slot">
          {divider && row[0]?.id === divider.before && <Divider text={divider.text} />}
          <div class={`slot-${density.value} columns-${columns}`}>
            {row.map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                mark={mark}
                above={() => entries.slice(0, entries.indexOf(entry) + 1)}
              />
            ))}
          </div>
        </div>
      )}
    />
  );
}

export function Divider({ text }: { readonly text: string }) {
  return (
    <p class="seen">
      <span>{text}</span>
    </p>
  );
}

const rowKey = (row: readonly RowEntry[]): string => String(row[0]?.id);

function inColumns(
  entries: readonly RowEntry[],
  columns: number,
  breakBefore: number | undefined,
): readonly (readonly RowEntry[])[] {
  const rows: RowEntry[][] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (last === undefined || last.length === columns || entry.id === breakBefore) rows.push([entry]);
    else last.push(entry);
  }
  return rows;
}
