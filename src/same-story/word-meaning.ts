/**
 * Synonyms in headlines: each line is one meaning, represented by its first word. Opposites and merely related words do
 * not belong on one line.
 */
const ENGLISH = `
hold keep maintain
ad ads advert advertising advertisement advertise
injure hurt wound
die dead death
buy acquire purchase acquisition
rise climb gain jump surge soar increase
fall drop slip slide decline decrease plunge tumble
end finish conclude
quit resign
fire sack dismiss
ban prohibit outlaw
lawsuit suit sue
jail prison imprison
crash collide collision
fix patch repair
phone smartphone
car auto automobile
police cops
child kid children kids
film movie
company firm
worker employee staff
plane jet aircraft
deal agree agreement accord pact accept
settle settlement
warn warning
probe investigate investigation inquiry
begin start
fine penalty
ai artificial-intelligence
earthquake quake tremor
close shut
factory plant
ship vessel
cut slash lower reduce
flee evacuate
job employment
unemployment jobless
licence license
title crown
steal theft stolen
halt stop suspend
choose pick select
show unveil reveal
`;

const JAPANESE = `
米 米国 アメリカ
英 英国 イギリス
仏 フランス
独 ドイツ
韓 韓国
露 ロシア
google グーグル
apple アップル
microsoft マイクロソフト
amazon アマゾン
openai オープンai
meta メタ
nvidia エヌビディア
tesla テスラ
toyota トヨタ
sony ソニー
nintendo 任天堂
本塁打 ホームラン
スマホ スマートフォン
パソコン pc
ai 人工知能
コロナ 新型コロナ 新型コロナウイルス
首脳会談 トップ会談
値上げ 引き上げ
死去 亡くなる 亡くなった
`;

function lines(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}

/** For each English word the first of its synonyms. */
export const ENGLISH_SYNONYMS: ReadonlyMap<string, string> = new Map(
  lines(ENGLISH).flatMap(([first = '', ...others]) =>
    others.map((other): [string, string] => [other, first]),
  ),
);

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  lines(JAPANESE).flatMap(([first = '', ...others]) =>
    others.map((other): [string, string] => [other, first]),
  ),
);
const SPELLING = [...SPELLINGS.keys()].sort((a, b) => b.length - a.length).join('|');
const ANY_SPELLING = new RegExp(SPELLING);
const EACH_SPELLING = new RegExp(SPELLING, 'g');

/** A Japanese title with one spelling for each of these, in lower case. */
export function oneSpelling(text: string): string {
  if (!ANY_SPELLING.test(text)) return text;
  return text.replace(EACH_SPELLING, (found) => SPELLINGS.get(found) ?? found);
}

/** The form in which a word of letters, in lower case, is compared: `raises` and `raised` are one, and so are synonyms. */
export function meaningOf(token: string): string {
  const word = withoutApostrophe(token);
  const known = MEANINGS.get(word);
  if (known !== undefined) return known;
  const root = stem(word);
  const found = SYNONYM_STEMS.get(root) ?? root;
  cacheMeaning(MEANINGS, word, found);
  return found;
}

/** The same where the word carries a story; empty for a number, and for words that any story may have. */
export function distinctiveMeaningOf(token: string): string {
  const known = DISTINCTIVE_MEANINGS.get(token);
  if (known !== undefined) return known;
  const word = COUNTED.has(token) ? '' : meaningOf(token);
  const found = SOFT.has(word) ? '' : word;
  cacheMeaning(DISTINCTIVE_MEANINGS, token, found);
  return found;
}

/** Maximum size of the cache of words, which recur often. Limited, since not every token is a word. */
const MAX_CACHED_MEANINGS = 20_000;
const MEANINGS = new Map<string, string>();
const DISTINCTIVE_MEANINGS = new Map<string, string>();

function cacheMeaning(known: Map<string, string>, word: string, found: string): void {
  if (known.size < MAX_CACHED_MEANINGS && word.length < 30) known.set(word, found);
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

/** Stop words: any story may have them, and publishers choose them freely. */
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
