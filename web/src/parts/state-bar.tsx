import { STATES, type State } from '../../../src/item/lifecycle.ts';
import { language, words } from '../words/words.ts';

/** The states in the order of a life, as one bar; the figures stand in words beside it where there is room. */
export function StateBar({ counts }: { readonly counts: Readonly<Record<State, number>> }) {
  const all = STATES.reduce((sum, state) => sum + counts[state], 0);
  let left = 0;
  const parts = STATES.filter((state) => counts[state] > 0).map((state) => {
    const width = (counts[state] / all) * 100;
    const part = { state, left, width };
    left += width;
    return part;
  });
  const spoken = parts.map(
    ({ state }) => `${words.value.states[state]} ${counts[state].toLocaleString(language.value)}`,
  );
  return (
    <svg
      class="state-bar"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={spoken.join(', ') || '0'}
    >
      <rect class="bar-ground" x="0" y="0" width="100" height="6" />
      {parts.map((part) => (
        <rect
          key={part.state}
          class={`bar bar-${part.state}`}
          x={part.left}
          y="0"
          width={Math.max(0.6, part.width - 0.4)}
          height="6"
        />
      ))}
    </svg>
  );
}
