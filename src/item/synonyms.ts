/**
 * Words that papers use for one another in headlines: each line is one meaning, and its first word stands for all.
 * Opposites, and things that merely go together, do not belong on one line.
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

/** For each English word the one that stands for it. */
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
