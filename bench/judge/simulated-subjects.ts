/** Languages of the replay. */
export type ReplayLanguage = 'en' | 'ja';

interface Subject {
  readonly name: string;
  readonly words: readonly string[];
}

/** Subjects of the simulated streams, written for this purpose; the same ones in both languages. */
export const SUBJECTS: Readonly<Record<ReplayLanguage, readonly Subject[]>> = {
  en: subjects(`
sailing: sailing, yacht, regatta, mast, keel, skipper, harbour race, spinnaker
beekeeping: beekeeping, honey, beehive, swarm, queen bee, apiary, pollen, varroa mite
jazz: jazz, saxophone, bebop, double bass, swing band, improvisation, jam session, blue note
volcanoes: volcano, lava, eruption, magma, crater, ash cloud, seismometer, caldera
chess: chess, grandmaster, endgame, opening theory, checkmate, rook sacrifice, blitz game, pawn structure
railways: railway, locomotive, sleeper train, signalling, level crossing, branch line, station master, rolling stock
sourdough: sourdough, bakery, rye flour, starter culture, crust, baguette, proofing basket, stone oven
compilers: compiler, parser, type checker, register allocation, linker, bytecode, intermediate language, optimiser
falconry: falcon, hawk, raptor, peregrine, talons, falconer, kestrel nest, owl box
ceramics: pottery, glaze, kiln, porcelain, stoneware, clay body, potter wheel, raku
marathon: marathon, long run, pacemaker, half marathon, running shoes, personal best, ultra runner, trail race
astronomy: telescope, galaxy, supernova, exoplanet, nebula, observatory, asteroid, radio dish
wine: vineyard, winemaker, vintage, tannin, cellar, riesling, cork, harvest of grapes
locks: padlock, lock picking, locksmith, key blank, safe cracking, pin tumbler, deadbolt, master key
mushrooms: mushroom, chanterelle, mycelium, spore print, truffle, foraging basket, porcini, toadstool
typefaces: typeface, serif, kerning, letterpress, font foundry, italic, ligature, type specimen
diving: scuba, coral reef, wreck dive, regulator, decompression, wetsuit, manta ray, free diver
clocks: watchmaker, escapement, pendulum, clock tower, mainspring, sundial, chronometer, cuckoo clock
theatre: theatre, stage play, understudy, rehearsal, set design, curtain call, playwright, opening night
cheese: cheese, rind, goat milk, cheddar, blue mould, affineur, rennet, raclette
`),
  ja: subjects(`
ヨット: ヨット, 帆走, レガッタ, 艇長, 帆柱, 外洋レース, 進水式, マリーナ
養蜂: 養蜂, 蜂蜜, ミツバチ, 巣箱, 女王蜂, 花粉, 採蜜, 分蜂
ジャズ: ジャズ, サックス, 即興演奏, ビバップ, ベーシスト, ジャムセッション, スウィング, 名盤
火山: 火山, 溶岩, 噴火, マグマ, 火口, 噴煙, 火山灰, カルデラ
将棋: 将棋, 棋士, 終盤戦, 竜王戦, 詰将棋, 飛車, 振り飛車, 封じ手
鉄道: 鉄道, 機関車, 寝台列車, 信号機, 踏切, ローカル線, 駅長, 車両基地
パン: パン, 製パン, ライ麦, 天然酵母, バゲット, 石窯, 発酵種, 食パン
コンパイラ: コンパイラ, 構文解析, 型検査, リンカー, バイトコード, 最適化器, 中間表現, 字句解析
鷹匠: 鷹匠, ハヤブサ, 猛禽, オオタカ, フクロウ, 鷹狩り, 営巣, 止まり木
陶芸: 陶芸, 釉薬, 窯元, 磁器, 備前焼, ろくろ, 登り窯, 茶碗
マラソン: マラソン, 長距離走, 駅伝, 自己ベスト, ランニング, 給水所, ペースメーカー, 完走
天文: 望遠鏡, 銀河, 超新星, 系外惑星, 星雲, 天文台, 小惑星, 電波観測
ワイン: ワイン, 葡萄畑, 醸造家, 貯蔵庫, 渋味, 甲州種, コルク, 収穫祭
錠前: 錠前, 鍵師, 南京錠, 合鍵, 金庫破り, シリンダー錠, 解錠, 防犯錠
きのこ: きのこ, 菌糸, 松茸, 胞子, トリュフ, 椎茸, 原木栽培, 毒きのこ
書体: 書体, 明朝体, 活版印刷, 字間, フォント, 見本帳, 合字, ゴシック体
潜水: 潜水, 珊瑚礁, 沈没船, 減圧症, ウェットスーツ, マンタ, 素潜り, ダイバー
時計: 時計師, 脱進機, 振り子, 時計台, ゼンマイ, 日時計, クロノメーター, 鳩時計
演劇: 演劇, 舞台, 稽古場, 劇作家, 美術セット, 千秋楽, 初日公演, 代役
チーズ: チーズ, 熟成庫, 山羊乳, 青カビ, 凝乳, ラクレット, 牧場, チェダー
`),
};

/** Headlines. Their other words are those of any news. */
export const TEMPLATES: Readonly<Record<ReplayLanguage, readonly string[]>> = {
  en: [
    'A visit to the {a} in a quiet town',
    'What the {a} teaches us about {b}',
    'Why {a} costs more this summer',
    'Council discusses {a} and {b}',
    '{n} questions about the {a}',
    'The long road from {a} to {b}',
    'Local group wins award for {a}',
    'Interview: living with {a} for {n} years',
    'How a small workshop changed {a}',
    'Museum opens exhibition on {a}',
    'Students build their own {a}',
    'New book looks at {a}, {b} and friendship',
    'Storm delays {a} event until Sunday',
    'Prices of {a} fall by {n} percent',
  ],
  ja: [
    '静かな町の{a}を訪ねて',
    '{a}が教えてくれる{b}のこと',
    'この夏、{a}の値段が上がる理由',
    '市議会、{a}と{b}を議論',
    '{a}をめぐる{n}の質問',
    '{a}から{b}への長い道のり',
    '地元の団体が{a}で受賞',
    '{a}と歩んだ{n}年、本人に聞く',
    '小さな工房が{a}を変えた',
    '博物館で{a}の企画展',
    '学生が作る{a}',
    '{a}と{b}、友情を描く新刊',
    '嵐で{a}の催しは日曜に延期',
    '{a}の価格が{n}％下落',
  ],
};

function subjects(table: string): readonly Subject[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', words = ''] = line.split(': ');
      return { name, words: words.split(', ') };
    });
}
