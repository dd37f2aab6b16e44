import { SYNONYMS, SYNONYMS_OF_NAMES } from './synonyms.ts';

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
豪 豪州 オーストラリア
伊 イタリア
加 カナダ
w杯 ワールドカップ
五輪 オリンピック
営業利益 営業益
純利益 純益 最終利益
経常利益 経常益
興収 興行収入
インフル インフルエンザ
軽トラ 軽トラック
火災 火事
負傷 けが ケガ
優勝 制覇 初v
衆院 衆議院
参院 参議院
厚労省 厚生労働省
国交省 国土交通省
経産省 経済産業省
文科省 文部科学省
公取委 公正取引委員会
日銀 日本銀行
gdp 国内総生産
ひざ 膝
買収 傘下
当選 当確
拘束 身柄確保
工場新設 新工場
eu 欧州連合
国連 国際連合
who 世界保健機関
fbi 米連邦捜査局
frb 米連邦準備理事会
`;

/** The groups of synonyms, in English. */
export const SYNONYM_GROUPS: readonly (readonly string[])[] = lines(SYNONYMS + SYNONYMS_OF_NAMES);

function lines(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '));
}

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
  const found = SYNONYMS_OF_ONE_FORM.get(word) ?? SYNONYM_STEMS.get(root) ?? root;
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

/** Close enough to a stem to see that "raises" and "raised" are one word, and "colour" and "color". */
function stem(word: string): string {
  return IRREGULAR.get(word) ?? regularStem(word);
}

function regularStem(word: string): string {
  if (word.length < 4) return word;
  let root = word;
  // Looked at before the patterns: most words have none of these ends.
  const last = root.charAt(root.length - 1);
  if (last === 's') root = root.replace(/(?:sses|shes|ches|xes)$/, (end) => end.slice(0, -2));
  if (last === 's' || last === 'd') root = root.replace(/(.{2,}[^aeiou])ie[sd]$/, '$1y');
  if (last === 's') root = root.replace(/([^su])s$/, '$1');
  if (root.endsWith('ing') || root.endsWith('ed')) root = root.replace(/(.{3,})(?:ing|ed)$/, '$1');
  if (root.endsWith('e')) root = root.replace(/(.{3,})e$/, '$1');
  if (root.includes('our')) root = root.replace(/([a-z]{2}[bdlmnpv])our/, '$1or');
  if (root.endsWith('z')) root = root.replace(/(.{3,}[iy])z$/, '$1s');
  if (root.includes('ization')) root = root.replace(/ization/, 'isation');
  const end = root.charAt(root.length - 1);
  return end === root.charAt(root.length - 2) ? root.replace(/([bdgklmnprt])\1$/, '$1') : root;
}

/** Words that would have the stem of another one: `plane` that of `plan`, `missing` that of `misses`. */
const STEMS_OF_THEIR_OWN =
  'plane wine site cute quite care male pope pile pole suite cape hive finale missing aide dade chile spate huge savings';

const IRREGULAR_FORMS = `
found:find won:win lost:lose sold:sell bought:buy built:build rebuilt:rebuild held:hold upheld:uphold led:lead misled:mislead
fell:fall fallen:fall rose:rise risen:rise grew:grow grown:grow began:begin begun:begin broke:break broken:break chose:choose
chosen:choose sank:sink sunk:sink shrank:shrink shrunk:shrink stole:steal stolen:steal struck:strike stuck:stick taught:teach
thought:think left:leave leaves:leave kept:keep slept:sleep swept:sweep wept:weep paid:pay laid:lay sent:send spent:spend
shot:shoot fought:fight sought:seek caught:catch brought:bring gave:give given:give forgave:forgive knew:know known:know
wrote:write written:write rode:ride ridden:ride drove:drive driven:drive flew:fly flown:fly blew:blow blown:blow drew:draw
drawn:draw withdrew:withdraw withdrawn:withdraw threw:throw thrown:throw overthrew:overthrow overthrown:overthrow took:take
taken:take overtook:overtake overtaken:overtake shook:shake shaken:shake woke:wake froze:freeze frozen:freeze spoke:speak
spoken:speak wore:wear worn:wear tore:tear torn:tear swore:swear sworn:swear bitten:bite hid:hide hidden:hide ate:eat eaten:eat
drank:drink swam:swim swum:swim sang:sing sung:sing hung:hang swung:swing spun:spin dug:dig went:go gone:go ran:run came:come
became:become overcame:overcome stood:stand felt:feel heard:hear dealt:deal fled:flee bred:breed bled:bleed slew:slay slain:slay
forbade:forbid forgot:forget forgotten:forget oversaw:oversee dies:die died:die dying:die men:man women:woman feet:foot
teeth:tooth mice:mouse geese:goose wives:wife knives:knife thieves:thief wolves:wolf shelves:shelf halves:half crises:crisis
`;

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ...IRREGULAR_FORMS.trim()
    .split(/\s+/)
    .map((pair): [string, string] => [pair.split(':')[0] ?? '', regularStem(pair.split(':')[1] ?? '')]),
  ...STEMS_OF_THEIR_OWN.split(' ').flatMap((word): [string, string][] => [
    [word, word],
    [`${word}s`, word],
    [`${word}d`, word],
  ]),
]);

/** For the stem of each English word, or for one form of it, the stem of the first of its synonyms; and for each phrase that word. */
const SYNONYM_STEMS = new Map<string, string>();
const SYNONYMS_OF_ONE_FORM = new Map<string, string>();
const PHRASES = new Map<string, string>();
for (const [first = '', ...others] of SYNONYM_GROUPS) {
  for (const other of others) {
    const [verb = '', ...rest] = other.split('-');
    if (rest.length > 0) PHRASES.set(`${stem(verb)}-${rest.join('-')}`, first);
    else if (other.startsWith('=')) SYNONYMS_OF_ONE_FORM.set(other.slice(1), stem(first));
    else SYNONYM_STEMS.set(stem(other), stem(first));
  }
}

/** The initials of institutions and companies that are spelled out in some titles. */
const INITIALS: ReadonlySet<string> = new Set(
  lines(SYNONYMS_OF_NAMES)
    .filter((words) => words.some((word) => word.includes('-')))
    .map(([first = '']) => stem(first)),
);

/** Whether a word, as `meaningOf` returns it, is a name whose spelled-out form has no capital of its own. */
export function isInitials(word: string): boolean {
  return INITIALS.has(word);
}

const PHRASE = new RegExp(
  `\\b([a-z]+)[- ](${[...new Set([...PHRASES.keys()].map((phrase) => phrase.slice(phrase.indexOf('-') + 1)))]
    .sort((a, b) => b.length - a.length)
    .join('|')
    .replaceAll('-', '[- ]')})s?\\b`,
  'g',
);

/** An English title with each phrase among the synonyms as one word, before the tokenizer separates them. */
export function onePhrase(text: string): string {
  if (!mayHavePhrase(text)) return text;
  return text.replace(
    PHRASE,
    (found, verb: string, rest: string) => PHRASES.get(`${stem(verb)}-${rest.replaceAll(' ', '-')}`) ?? found,
  );
}

/** By the first two letters of two words beside each other. To try the pattern on every title takes ten times as long. */
function mayHavePhrase(text: string): boolean {
  let first = 0;
  for (let at = 1; at + 2 < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== HYPHEN) continue;
    const beginnings = beginningsAt(text, first, at + 1);
    if ((((BEGINNINGS[beginnings >>> 5] ?? 0) >>> (beginnings & 31)) & 1) === 1) return true;
    first = at + 1;
  }
  return false;
}

const SPACE = 0x20;
const HYPHEN = 0x2d;

function beginningsAt(text: string, first: number, second: number): number {
  return (
    ((text.charCodeAt(first) & 31) << 15) |
    ((text.charCodeAt(first + 1) & 31) << 10) |
    ((text.charCodeAt(second) & 31) << 5) |
    (text.charCodeAt(second + 1) & 31)
  );
}

/** Those that some phrase has, as bits. */
const BEGINNINGS = new Uint32Array(2 ** 15);
const IRREGULAR_FORMS_OF = Map.groupBy(IRREGULAR.keys(), (form) => IRREGULAR.get(form) ?? form);
for (const phrase of PHRASES.keys()) {
  const [verb = '', ...rest] = phrase.split('-');
  for (const form of [verb, ...(IRREGULAR_FORMS_OF.get(verb) ?? [])])
    for (const separator of [' ', '-']) {
      const beginnings = beginningsAt(`${form}${separator}${rest.join('-')}`, 0, form.length + 1);
      BEGINNINGS[beginnings >>> 5] = (BEGINNINGS[beginnings >>> 5] ?? 0) | (1 << (beginnings & 31));
    }
}

const COUNTED: ReadonlySet<string> = new Set(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' '),
);

/**
 * Words that news of all subjects has: less evidence than a name. Written down rather than counted, since a small window
 * says little about a word, and one subject may dominate it.
 */
const COMMON: ReadonlySet<string> = new Set(
  'accord accuse act action add address advance age agency agree ahead aid aim air allow amount anger annual another answer appeal area army ask attack authority average avoid award bad ban bank base battle become begin benefit best better bid big biggest bill blame board body book boost border boss break bring budget build burn business buy call can capital car case cash cause celebrate center central centre challenge chance change charge chief child choose citizen city claim clash close club coach coast come comment company concern confidence consider consumer contract control cost council country county court cover create crime crisis critic criticize crowd customer cut daily data date day deal death debate debt decade decide decision decline defeat defence defend delay demand deny department despite detail develop die director discover discuss district doctor double draw drive drop early earn east economy edge effort election emergency end energy enter evidence expand expect expert export extend face fail fall family fan farm fast father fear federal fight figure film final find fire firm flight focus follow food force forecast foreign form former forward free fuel full fund future gain game give global go goal good government group grow growth guilty half halt hand head health hear help high hit hold home hope hospital hour house huge hundred idea illness impact import improve increase industry inflation injure inquiry inside interest international invest investor island issue job join judge jump keep key kill know lack land large last late law lawmaker lawsuit lead leader league learn leave left legal less level life lift limit line link list live loan local long look lose loss low main major majority man manager market mass match matter meet member million minister minute miss missing money month more mother mount move name nation national near need negotiate network new news next night north number offer office officer official oil old open opposition order outside own pact paper parent parliament part party pass past pay people person phone place plan plane play player point police policy poor popular power prepare present president press price prime prison private problem profit program project promise protect protest prove public push put quarter question quick race rain raise rally rate reach read ready recall receive record recover reduce region reject remain remove replace rescue research researcher resident resign result retail retire return revenue review rise risk river road role row rule run safe sale save school science scientist score search season second secretary security seek sell senator send service share ship shoot short show side sign site slow small social son south speak speed spend spread staff stage stand star start state stay step stock stop store storm street strike strong student study success suffer suggest summer supply support surge suspect system take talk target tax team tech tell term test thing thousand threat time title top tough town trade traffic train travel treat trial trip try turn union unit university update urge use user vaccine value vehicle victim video view visit voice vote voter vow wait want war warn watch water way weak week weekend well west white win wind winner winter woman word work worker world worry worst year young'
    .split(' ')
    .map((word) => {
      const root = stem(word);
      return SYNONYM_STEMS.get(root) ?? root;
    }),
);

/** The same in Japanese, as far as they are written as one run. */
const COMMON_JAPANESE: ReadonlySet<string> = new Set(
  '会社 企業 政府 首相 大臣 国会 議員 知事 市長 社長 会長 委員会 会見 会談 会議 合意 決定 決 発売 販売 価格 投資 投資額 買収 事業 工場 建設 計画 開発 研究 調査 結果 影響 問題 対策 支援 被害 死亡 負傷 死者 事故 事件 火災 地震 台風 大雨 大雪 逮捕 容疑 容疑者 警察 県警 裁判 判決 初公判 地裁 選挙 当選 投票 投票率 優勝 初優勝 勝利 試合 大会 選手 監督 過去最高 過去最低 過去最多 増加 減少 上昇 下落 市場 株価 決算 純利益 営業利益 売上高 予想 全国 世界 日本 国内 海外 地域 市内 県内 男性 女性 子供 学校 大学 病院 患者 医療 感染 流行 承認 可決 否決 法案 予算案 修正 辞任 退任 就任 人事 新人 現職 映画 作品 受賞 公開 放送 開催 参加 利用 情報 個人情報 流出 不正 対象 回収 自主回収 延期 中止 再開 終了 開始 成功 失敗 打 上 引 下 続 見 明 新型 新製品 サービス システム データ メーカー アクセス リコール ブレーキ エアバッグ ゲーム リーグ サヨナラ プロ アマ ドラマ アニメ ワクチン ウイルス ガス バス タクシー トラック タンク エンジン バッテリー ロケット カプセル レベル パレード ファン チーム シーズン シリーズ メダル ゴール ホーム アウト スタート トップ スト ストライキ デモ テロ ミサイル ドローン ヘリ ダム トンネル ビル マンション ホテル スーパー コンビニ レストラン カフェ カード クレジットカード キャンペーン イベント セール ポイント プラン コスト ドル ユーロ ポンド パーセント メートル キロ グラム トン センチ ネット サイト ページ アプリ ソフト パソコン スマホ ケーブル カメラ ロボット セキュリティー モデル タイプ デザイン ブランド バージョン アップデート サーバー クラウド ランキング アンケート テスト トラブル ミス リスク ルール テーマ グループ メンバー リーダー センター エリア ルート コース クラス テレビ ラジオ ラボ ケース ペース ピーク コンロ ドア'.split(
    ' ',
  ),
);

const MONTHS: ReadonlySet<string> = new Set(
  'january february march april june july august september october november december'.split(' ').map(stem),
);

/** Whether a word is a month; it is given as `meaningOf` returns it. "May" is a verb as often. */
export function isMonth(word: string): boolean {
  return MONTHS.has(word);
}

const CALENDAR: ReadonlySet<string> = new Set([
  ...MONTHS,
  ...'monday tuesday wednesday thursday friday saturday sunday'.split(' ').map(stem),
]);

/** Months and days have a capital and are no names. */
export function isDate(word: string): boolean {
  return CALENDAR.has(word);
}

const ALL_COMMON: ReadonlySet<string> = new Set([...COMMON, ...COMMON_JAPANESE, ...CALENDAR]);

/** Whether news of all subjects has a word; it is given as `meaningOf` returns it. */
export function isCommonWord(word: string): boolean {
  return ALL_COMMON.has(word);
}

/**
 * Countries, institutions and companies that are in the news every day: many headlines with one of these are not one story. Names
 * that Japanese writes as one run with what follows need none.
 */
const EVERYDAY_NAMES: ReadonlySet<string> = new Set(
  (
    'america britain china japan russia france germany italy spain india iran israel ukraine korea turkey mexico brazil canada ' +
    'australia europe asia africa greece syria iraq egypt eu un nato imf opec fed ecb fbi dow nasdaq nikkei euro dollar google apple ' +
    'microsoft amazon facebook meta twitter samsung sony toyota tesla'
  )
    .split(' ')
    .map(meaningOf)
    .concat('米 中国 韓 露 独 仏 英 日本 政府 日銀 東証 トヨタ ソニー'.split(' ')),
);

/** Whether a name is in the news every day; it is given as `meaningOf` returns it. */
export function isEverydayName(word: string): boolean {
  return EVERYDAY_NAMES.has(word);
}

/** Deaths, accidents and crimes; the synonyms above count too. */
const INCIDENTS: ReadonlySet<string> = new Set(
  (
    'kill murder dead injure crash derail capsize sink aground drown fire blaze blast stab shoot shooting gunman rape assault hostage ' +
    'kidnap earthquake tsunami landslide flood storm wildfire flee collapse outbreak poison attack strike recall spill steal 死亡 死者 負傷 事故 火災 爆発 殺人 ' +
    '地震 津波 脱線 衝突 転覆 墜落 遭難'
  )
    .split(' ')
    .map(meaningOf),
);

/** Whether a word tells of a death, an accident or a crime; it is given as `meaningOf` returns it. */
export function isIncident(word: string): boolean {
  return INCIDENTS.has(word);
}

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
