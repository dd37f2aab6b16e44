import { ENGLISH_SYNONYMS } from './synonyms.ts';

/** The form in which a word of letters, in lower case, is compared: `raises` and `raised` are one, and so are synonyms. */
export function meaningOf(token: string): string {
  const word = withoutApostrophe(token);
  const known = MEANINGS.get(word);
  if (known !== undefined) return known;
  const root = stem(word);
  const found = SYNONYM_STEMS.get(root) ?? root;
  keep(MEANINGS, word, found);
  return found;
}

/** The same where the word carries a story; empty for a number, and for words that any story may have. */
export function tellingMeaningOf(token: string): string {
  const known = TELLING.get(token);
  if (known !== undefined) return known;
  const word = COUNTED.has(token) ? '' : meaningOf(token);
  const found = SOFT.has(word) ? '' : word;
  keep(TELLING, token, found);
  return found;
}

/** Words come again and again; most that are kept, since not all that comes is a word. */
const MOST_KEPT = 20_000;
const MEANINGS = new Map<string, string>();
const TELLING = new Map<string, string>();

function keep(known: Map<string, string>, word: string, found: string): void {
  if (known.size < MOST_KEPT && word.length < 30) known.set(word, found);
}

function withoutApostrophe(token: string): string {
  const at = token.search(/[’']/);
  return at < 0 ? token : token.slice(0, at);
}

/** Close enough to a stem to see that "raises" and "raised" are one word. */
function stem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:sses|shes|ches|xes)$/, (end) => end.slice(0, -2))
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1')
    .replace(/(.{3,})(?:ing|ed)$/, '$1')
    .replace(/(.{3,})e$/, '$1');
  return bare.replace(/([bdgklmnprt])\1$/, '$1');
}

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    'found:find won:win lost:lose sold:sell bought:buy built:build held:hold led:lead fell:fall fallen:fall rose:rise ' +
    'risen:rise grew:grow grown:grow began:begin begun:begin broke:break broken:break chose:choose chosen:choose ' +
    'sank:sink sunk:sink stole:steal stolen:steal struck:strike taught:teach thought:think left:leav leaves:leav ' +
    'kept:keep paid:pay sent:send spent:spend shot:shoot fought:fight caught:catch brought:bring gave:giv given:giv ' +
    'knew:know known:know wrote:writ written:writ drove:driv driven:driv flew:fly flown:fly dies:die died:die ' +
    'dying:die men:man women:woman'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.split(':')[0] ?? '', pair.split(':')[1] ?? '']),
);

const SYNONYM_STEMS: ReadonlyMap<string, string> = new Map(
  [...ENGLISH_SYNONYMS].map(([word, first]): [string, string] => [stem(word), stem(first)]),
);

const COUNTED: ReadonlySet<string> = new Set(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' '),
);

/** Words that any story may have: they tell nothing, and papers choose them as they like. */
const SOFT: ReadonlySet<string> = new Set(
  (
    'a an the and or but nor of to in on at by for from with without into onto over under after before amid as is are was were be been ' +
    'being it its this that these those he she they his her their we our you your i my not than then so if when while ' +
    'who what why how which will would can could may might must shall should has have had do does did new now more most ' +
    'just still also again up down out off about against between during through per via says say said told tell tells ' +
    'announces announce announced announcement unveils unveil unveiled launches launch launched releases release released ' +
    'introduces introduce introduced reveals reveal revealed reports report reported reportedly confirms confirm confirmed ' +
    'according here heres today yesterday tomorrow first latest set sets gets get got makes make made takes take took ' +
    'plans plan planned expected could here see sees back us percent pct million billion trillion m bn mln'
  )
    .split(' ')
    .map(stem),
);
