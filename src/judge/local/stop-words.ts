/** English words that say nothing about what a text is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both ' +
    'but by can could did do does doing down during each either even ever every few for from further get gets got had has ' +
    'have having he her here hers him his how however i if in into is it its itself just last like made make makes many may ' +
    'me might more most much must my near new next no nor not now of off on once one only or other our out over own per ' +
    'said same say says see she should since so some still such than that the their them then there these they this those ' +
    'through to today too two under until up upon us use used using very was way we week well were what when where which ' +
    'while who whom why will with within without would year years yes yet you your'
  ).split(' '),
);
