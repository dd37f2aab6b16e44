import { signal } from '@preact/signals';

/** Wide enough for the sidebar; on narrower screens there are a bottom bar and a drawer. */
const sidebar = matchMedia('(min-width: 60rem)');
const twoCards = matchMedia('(min-width: 44rem)');
const threeCards = matchMedia('(min-width: 84rem)');

export const wide = signal(sidebar.matches);
/** How many cards stand beside each other. */
export const cardColumns = signal(countColumns());

function countColumns(): number {
  return threeCards.matches ? 3 : twoCards.matches ? 2 : 1;
}

sidebar.addEventListener('change', (event) => {
  wide.value = event.matches;
});
for (const query of [twoCards, threeCards])
  query.addEventListener('change', () => {
    cardColumns.value = countColumns();
  });
