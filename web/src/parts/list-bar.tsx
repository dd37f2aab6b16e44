import type { ComponentChildren } from 'preact';
import { DENSITIES, density, ORDERS, order, pictures, unreadOnly } from '../reader/preferences.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** The title of a list and what can be done with it. It stays in sight, and the announcement of new entries is part of it. */
export function ListBar(props: {
  readonly title: string;
  readonly count?: number;
  readonly waiting: number;
  readonly showNew: () => void;
  readonly children: ComponentChildren;
}) {
  const w = words.value.reader;
  return (
    <div class="list-bar">
      <h2 class="list-title" id="page-title">
        {props.title}
        {props.count !== undefined && props.count > 0 && (
          <span class="list-count">
            <span aria-hidden="true">{props.count}</span>
            <span class="visually-hidden">({w.unreadCount(props.count)})</span>
          </span>
        )}
      </h2>
      <div class="announcer" role="status">
        {props.waiting > 0 && (
          <button type="button" class="announcer-button" data-act="show-new" onClick={props.showNew}>
            {w.newEntries(props.waiting)}
            <span class="visually-hidden">: {w.showNew}</span>
          </button>
        )}
      </div>
      <div class="list-tools">{props.children}</div>
    </div>
  );
}

export function RefreshButton({ refresh, busy }: { readonly refresh: () => void; readonly busy: boolean }) {
  const w = words.value.reader;
  return (
    <button
      type="button"
      class={busy ? 'tool busy' : 'tool'}
      data-act="refresh"
      aria-label={w.refresh}
      title={w.refresh}
      onClick={refresh}
    >
      <Icon name="refresh" />
    </button>
  );
}

export type Age = 'day' | 'week';

export const AGE_MS: Readonly<Record<Age, number>> = {
  day: 24 * 60 * 60 * 1000,
  week: 7 * 24 * 60 * 60 * 1000,
};

export function MarkMenu(props: {
  readonly markAll: () => void;
  /** Absent where age cannot be told. */
  readonly markOlder?: ((age: Age) => void) | undefined;
}) {
  const w = words.value.reader.mark;
  const { markOlder } = props;
  return (
    <div class="mark-tools">
      <button
        type="button"
        class="tool"
        data-act="mark-all"
        aria-label={w.all}
        title={`${w.all} (A)`}
        onClick={props.markAll}
      >
        <Icon name="check" />
        <span class="tool-words">{w.all}</span>
      </button>
      {markOlder && (
        <Menu class="menu-end" name={w.menu} label={<Icon name="chevron" />}>
          <button type="button" class="menu-item" onClick={props.markAll}>
            {w.all}
          </button>
          <button type="button" class="menu-item" onClick={() => markOlder('day')}>
            {w.olderThanDay}
          </button>
          <button type="button" class="menu-item" onClick={() => markOlder('week')}>
            {w.olderThanWeek}
          </button>
        </Menu>
      )}
    </div>
  );
}

/** How lists look, remembered on this device. */
export function ViewMenu(props: { readonly ordered?: boolean; readonly narrowable?: boolean }) {
  const w = words.value.reader.view;
  return (
    <Menu class="menu-end" name={w.options} label={<Icon name="view" />} stays>
      <fieldset class="choices">
        <legend>{w.density}</legend>
        {DENSITIES.map((one) => (
          <Choice
            key={one}
            name="density"
            text={w.densities[one]}
            checked={density.value === one}
            choose={() => {
              density.value = one;
            }}
          />
        ))}
      </fieldset>
      {props.ordered && (
        <fieldset class="choices">
          <legend>{w.order}</legend>
          {ORDERS.filter((one) => one !== 'for_you' || me.value !== null).map((one) => (
            <Choice
              key={one}
              name="order"
              text={w.orders[one]}
              checked={order.value === one}
              choose={() => {
                order.value = one;
              }}
            />
          ))}
        </fieldset>
      )}
      <Switch
        text={w.pictures}
        on={pictures.value === 'on'}
        change={(on) => {
          pictures.value = on ? 'on' : 'off';
        }}
      />
      {props.narrowable && (
        <Switch
          text={w.unreadOnly}
          on={unreadOnly.value === 'on'}
          change={(on) => {
            unreadOnly.value = on ? 'on' : 'off';
          }}
        />
      )}
    </Menu>
  );
}

function Choice(props: {
  readonly name: string;
  readonly text: string;
  readonly checked: boolean;
  readonly choose: () => void;
}) {
  return (
    <label class="choice">
      <input type="radio" name={props.name} checked={props.checked} onChange={props.choose} /> {props.text}
    </label>
  );
}

function Switch(props: {
  readonly text: string;
  readonly on: boolean;
  readonly change: (on: boolean) => void;
}) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={props.on}
        onChange={(event) => props.change(event.currentTarget.checked)}
      />{' '}
      {props.text}
    </label>
  );
}
