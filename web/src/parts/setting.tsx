/** A choice of a few words, in force as soon as it is made. */
export function Select<T extends string>(props: {
  readonly id: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly choose: (value: T) => void;
}) {
  return (
    <p class="setting">
      <label htmlFor={`s-${props.id}`}>{props.label}</label>
      <select
        id={`s-${props.id}`}
        value={props.value}
        onChange={(event) => {
          const chosen = props.options.find(([value]) => value === event.currentTarget.value);
          if (chosen) props.choose(chosen[0]);
        }}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </p>
  );
}

export function Toggle(props: {
  readonly label: string;
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <p class="setting">
      <label>
        <input
          type="checkbox"
          checked={props.on}
          disabled={props.disabled ?? false}
          onChange={(event) => props.set(event.currentTarget.checked)}
        />{' '}
        {props.label}
      </label>
    </p>
  );
}
