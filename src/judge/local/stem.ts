const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['analyses', 'analysis'],
  ['children', 'child'],
  ['crises', 'crisis'],
  ['criteria', 'criterion'],
  ['indices', 'index'],
  ['matrices', 'matrix'],
  ['men', 'man'],
  ['mice', 'mouse'],
  ['people', 'person'],
  ['women', 'woman'],
]);

/**
 * The singular of an English word in lower case. Only plurals and possessives: cutting more would make one of
 * `training` and `train`, and a reader's topic would match what it does not mean.
 */
export function stem(word: string): string {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word;
  const known = IRREGULAR.get(bare);
  if (known !== undefined) return known;
  const length = bare.length;
  if (length < 4 || !bare.endsWith('s')) return bare;
  if (/(?:ss|us|is|ics|ous)$/.test(bare)) return bare;
  if (bare.endsWith('ies')) return length > 4 ? `${bare.slice(0, -3)}y` : bare.slice(0, -1);
  if (/(?:sses|shes|ches|xes|zes)$/.test(bare)) return bare.slice(0, -2);
  return bare.slice(0, -1);
}

/** Plurals of a word that are not made by adding to it. */
export function irregularPlurals(singular: string): string[] {
  return [...IRREGULAR].filter(([, one]) => one === singular).map(([many]) => many);
}
