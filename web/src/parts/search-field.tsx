import { useEffect, useRef, useState } from 'preact/hooks';

/** Typing is followed by a search after this pause. */
const PAUSE = 250;

export function SearchField(props: {
  readonly value: string;
  readonly label: string;
  readonly onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(props.value);
  const searched = useRef(props.value);
  useEffect(() => {
    // The address changed by other means than typing here: the browser's back and forward.
    if (props.value !== searched.current) setText(props.value);
    searched.current = props.value;
  }, [props.value]);
  useEffect(() => {
    if (text === props.value) return;
    const timer = setTimeout(() => {
      searched.current = text;
      props.onSearch(text);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="filter-search">
      <span>{props.label}</span>
      <input
        type="search"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}
