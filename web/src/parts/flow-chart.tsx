import { STATES, type State } from '../../../src/item/lifecycle.ts';
import { api, type CountsEntry } from '../api.ts';
import { useRead } from '../hooks.ts';
import { stamp } from '../time.ts';
import { language, words } from '../words/words.ts';

const DAYS = 7;
const WIDTH = 600;
const HEIGHT = 120;
/** As many columns as can be told apart. */
const MOST_COLUMNS = 84;
/** What stands at the bottom: what is finished well. */
const ORDER: readonly State[] = [
  'published',
  'accepted',
  'rejected',
  'baseline',
  'deferred',
  'waiting',
  'failed',
  'parked',
];

/** The items of a pipeline by state, over a week; the same in words and as a table for whoever cannot see it. */
export function FlowChart({ pipeline }: { readonly pipeline: string }) {
  const w = words.value;
  const { value } = useRead(`counts ${pipeline}`, (signal) => api.counts(pipeline, DAYS, signal), 60_000);
  const entries = thinned(value?.entries ?? []);
  if (entries.length < 2) return <p class="quiet">{value === null ? w.loading : w.chartTooSoon}</p>;
  const most = Math.max(1, ...entries.map(totalOf));
  const first = entries[0]?.at ?? 0;
  const span = Math.max(1, (entries.at(-1)?.at ?? 0) - first);
  const x = (at: number): number => ((at - first) / span) * WIDTH;
  const y = (count: number): number => HEIGHT - (count / most) * HEIGHT;
  const bottom = entries.map(() => 0);
  const layers = ORDER.map((state) => {
    const under = [...bottom];
    for (const [index, entry] of entries.entries())
      bottom[index] = (bottom[index] ?? 0) + (entry.byState[state] ?? 0);
    const above = entries.map(
      (entry, index) => `${x(entry.at).toFixed(1)},${y(bottom[index] ?? 0).toFixed(1)}`,
    );
    const below = entries.map(
      (entry, index) => `${x(entry.at).toFixed(1)},${y(under[index] ?? 0).toFixed(1)}`,
    );
    return { state, points: [...above, ...below.reverse()].join(' ') };
  });
  const last = entries.at(-1);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={spoken(entries)}
      >
        {layers.map(({ state, points }) => (
          <polygon key={state} class={`bar bar-${state}`} points={points} />
        ))}
      </svg>
      <figcaption>
        <span>{stamp(first)}</span>
        <span>
          {w.chartTitle} · {w.chartMost(most)}
        </span>
        <span>{stamp(last?.at ?? first)}</span>
      </figcaption>
      {last && <Reasons entry={last} />}
    </figure>
  );
}

/** The reasons of now, the commonest first. */
function Reasons({ entry }: { readonly entry: CountsEntry }) {
  const w = words.value;
  const reasons = Object.entries(entry.byReason)
    .filter(([reason, count]) => count > 0 && reason !== 'none')
    .sort(([, one], [, other]) => other - one)
    .slice(0, 6);
  if (reasons.length === 0) return null;
  return (
    <ul class="chart-reasons">
      {reasons.map(([reason, count]) => (
        <li key={reason}>
          <b>{count.toLocaleString(language.value)}</b>{' '}
          {(w.reasons as Record<string, string>)[reason] ?? reason}
        </li>
      ))}
    </ul>
  );
}

function thinned(entries: readonly CountsEntry[]): readonly CountsEntry[] {
  const every = Math.ceil(entries.length / MOST_COLUMNS);
  // The newest is always there.
  return entries.filter((_, index) => (entries.length - 1 - index) % Math.max(1, every) === 0);
}

function totalOf(entry: CountsEntry): number {
  return STATES.reduce((sum, state) => sum + (entry.byState[state] ?? 0), 0);
}

function spoken(entries: readonly CountsEntry[]): string {
  const w = words.value;
  const [first, last] = [entries[0], entries.at(-1)];
  const changes = ORDER.map((state) => {
    const [before, now] = [first?.byState[state] ?? 0, last?.byState[state] ?? 0];
    return before === 0 && now === 0 ? '' : `${w.states[state]} ${before} → ${now}`;
  });
  return `${w.chartTitle}: ${changes.filter((part) => part !== '').join(', ')}`;
}
