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
phone smartphone handset
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
boat ship
resign step-down
strike walkout walk-out
recall call-back
cancel call-off scrap
postpone put-off delay
takeover take-over
admit plead-guilty plead
convict find-guilty
overturn strike-down throw-out
reject turn-down
record all-time
earnings profit income
revenue sales
store shop
doctor physician
marijuana cannabis pot weed
lawmaker legislator
premier prime-minister
arrest detain
rescue save
victim casualty
wildfire bushfire
blast explosion explode
collapse cave-in
launch liftoff lift-off
drawing sketch
vaccine shot jab
hospital clinic
storm hurricane typhoon
demonstrate protest rally
demonstration protest
ceo chief-executive boss
game match
coach manager
aid relief
america american americans
britain british uk
china chinese
japan japanese
russia russian
france french
germany german
italy italian
spain spanish
india indian
iran iranian
israel israeli
ukraine ukrainian
korea korean
turkey turkish
mexico mexican
brazil brazilian
canada canadian
australia australian
europe european eu
greece greek
poland polish
sweden swedish
norway norwegian
denmark danish
netherlands dutch
switzerland swiss
egypt egyptian
syria syrian
iraq iraqi
pakistan pakistani
africa african
asia asian
ireland irish
scotland scottish
portugal portuguese
write pen author wrote written
photo picture pic image snapshot
baby newborn infant
father dad daddy
mother mom mum
marry wed wedding marriage
share stock
outlook forecast guidance
drug medicine medication pill
hack breach
limit curb restrict restriction
leave exit depart departure
teenager teen
flood flooding
trailer teaser
`;

/** Verbs with a second word, before the tokenizer separates them; only those that are lines above. */
const PHRASE =
  /\b(step|walk|call|put|take|strike|throw|turn|cave|lift|plead|find|found|prime|chief|all)(?:s|e?d|ped|ing|ping)?[- ](down|out|back|off|over|in|guilty|minister|executive|time)\b/g;

/** An English title with each of these phrases as one word. */
export function onePhrase(text: string): string {
  return text.replace(PHRASE, (found, verb: string, rest: string) => {
    const first = PHRASES.get(`${verb === 'found' ? 'find' : verb}-${rest}`);
    return first ?? found;
  });
}

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

const PHRASES: ReadonlyMap<string, string> = new Map(
  [...ENGLISH_SYNONYMS].filter(([phrase]) => phrase.includes('-')),
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

/**
 * Words that news of all subjects has: less evidence than a name. Written down rather than counted, since a small window
 * says little about a word, and one subject may dominate it.
 */
const COMMON: ReadonlySet<string> = new Set(
  'accord accuse act action add address advance age agency agree ahead aid aim air allow amount anger annual another answer appeal area army ask attack authority average avoid award bad ban bank base battle become begin benefit best better bid big bill blame board body book boost border boss break bring budget build burn business buy call can capital car case cash cause center central centre challenge chance change charge chief child choose citizen city claim clash close club coach coast come comment company concern confidence consumer contract control cost council country county court cover create crime crisis critic crowd customer cut daily data date day deal death debate debt decade decide decision decline defeat defence defend delay demand deny department despite detail develop die director discover discuss district doctor double draw drive drop early earn east economy edge effort election emergency end energy enter evidence expand expect expert export face fail fall family fan farm fast father fear federal fight figure film final find fire firm flight focus follow food force forecast foreign form former forward free fuel full fund future gain game give global go goal good government group grow growth guilty half halt hand head health hear help high hit hold home hope hospital hour house huge hundred idea illness impact import improve increase industry inflation injure inquiry inside interest international invest investor island issue job join judge jump keep key kill know lack land large last late law lawmaker lawsuit lead leader league learn leave left legal less level life lift line link list live loan local long look lose loss low main major majority man manager market mass match matter meet member million minister minute miss missing money month more mother mount move name nation national near need network new news next night north number offer office officer official oil old open opposition order outside own pact paper parent parliament part party pass past pay people person phone place plan plane play player point police policy poor popular power prepare present president press price prime prison private problem profit program project promise protest prove public push put quarter question quick race rain raise rally rate reach read ready recall receive record recover reduce region reject remain remove replace rescue research researcher resident resign result retail retire return revenue review rise risk river road role row rule run safe sale save school science scientist score search season second secretary security seek sell senator send service share ship shoot short show side sign site slow small social son south speak speed spend spread staff stage stand star start state stay step stock stop store storm street strike strong student study success suffer suggest summer supply support surge suspect system take talk target tax team tech tell term test thing thousand threat time title top tough town trade traffic train travel treat trial trip turn union unit university update urge use user vaccine value vehicle victim video view visit voice vote voter wait want war warn watch water way weak week weekend well west white win wind winner winter woman word work worker world worry worst year young'
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

const CALENDAR: ReadonlySet<string> = new Set(
  'january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday'
    .split(' ')
    .map(stem),
);

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
