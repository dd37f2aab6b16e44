/**
 * Stages of a story over several days. Titles at different stages are two pieces of news, however much else they share:
 * a strike that begins and the same strike that ends, a robbery and an arrest.
 */
const STAGES: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:delay|postpon|put off|push\w* back|scrap|cancel)/, /延期|見送り|中止|断念/],
  [/\b(?:toll|victims? identified|damage at)/, /死者\d|被害まとめ|身元/],
  [/\b(?:fine[sd]?|sued?|lawsuit)\b/, /改善命令|課徴金|提訴|賠償/],
  [/\b(?:arrest|charged|indict|suspect)/, /逮捕|書類送検|起訴|容疑/],
  [/\b(?:sentenced|prison for|jailed)\b/, /判決|懲役/],
  [/\b(?:trial of .* opens|goes on trial|pleads?)\b/, /初公判|裁判始ま/],
  [/\b(?:review|probe|investigat|inquiry|examine)/, /調査|審査|検証/],
  [
    /\b(?:ends?|ended|ending|over after|returns?|return home|back to work|resumes?|reopens?)\b/,
    /再開|終了|収束|解除/,
  ],
  [/\b(?:caused by|behind|blames?|explains? why)\b/, /原因は|原因判明/],
  [/\b(?:contained|refloated|freed?)\b/, /鎮火|離礁/],
  [/\b(?:succeed|successor|names? .* as|picks? .* as|appoints?)\b/, /後任|新社長|人事/],
  [/\b(?:polls open|votes? in|vote begins|campaign)\b/, /告示|公示|立候補/],
  [/\b(?:fails?|failed|failure)\b/, /失敗/],
  [/\b(?:first (?:pictures|images|photos))\b/, /初画像/],
];

const ENGLISH_OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:rises?|rose|gains?|climbs?|jumps?|up|higher|lifts?|soars?)\b/,
    /\b(?:falls?|fell|drops?|down|lower|slides?|slips?|declines?)\b/,
  ],
  [
    /\b(?:begins?|began|starts?|walk(?:s|ed)? out|strikes?)\b/,
    /\b(?:ends?|ended|ending|accepts?|call(?:s|ed) off)\b/,
  ],
  [/\b(?:holds?|keeps?|unchanged|on hold)\b/, /\b(?:cuts?|lowers?|raises?|hikes?)\b/],
  [/\b(?:wins?|won|beats?|victory)\b/, /\b(?:loses?|lost|beaten|defeat)\b/],
  [/\b(?:opens?|opened|reopens?)\b/, /\b(?:closes?|closed|shut)\b/],
  [/\b(?:uphold\w*|upheld|approves?)\b/, /\b(?:overturn\w*|rejects?|rejected|lifts? ban)\b/],
];

const JAPANESE_OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [/増益|増加|\d%増|上昇|円高|反発|続伸|伸びる/, /減益|減少|\d%減|下落|円安|反落|続落/],
  [/据え置き|維持/, /引き上げ|引き下げ|利上げ|利下げ/],
  [/成功/, /失敗|延期|中止/],
  [/開館|開業|新設|建設|新工場/, /閉館|閉鎖|廃止|撤退/],
  [/優勝|勝ち|勝利|連勝/, /敗れ|敗退|連敗/],
];

/** The stages and opposites in a title, as bits for a fast comparison. */
export interface Stage {
  readonly stages: number;
  readonly yes: number;
  readonly no: number;
}

/** Most titles are at none. */
const NONE: Stage = { stages: 0, yes: 0, no: 0 };

/** Expects a title in lower case. Patterns of a language without letters in the title are skipped. */
export function stageOf(title: string): Stage {
  const [isEnglish, isJapanese] = [/[a-z]/.test(title), /[^ -~]/.test(title)];
  let [stages, yes, no] = [0, 0, 0];
  for (const [bit, [english, japanese]] of STAGES.entries())
    if ((isEnglish && english.test(title)) || (isJapanese && japanese.test(title))) stages |= 1 << bit;
  const sides = [
    ...sidesIn(title, isEnglish, ENGLISH_OPPOSITES),
    ...sidesIn(title, isJapanese, JAPANESE_OPPOSITES),
  ];
  for (const [bit, side] of sides.entries()) {
    if (side > 0) yes |= 1 << bit;
    if (side < 0) no |= 1 << bit;
  }
  return stages === 0 && yes === 0 && no === 0 ? NONE : { stages, yes, no };
}

/** For each pair of opposites which one a title contains: 1 or -1, 0 for none or both. */
function sidesIn(
  title: string,
  looked: boolean,
  opposites: readonly (readonly [RegExp, RegExp])[],
): number[] {
  return opposites.map(([one, other]) => (looked ? Number(one.test(title)) - Number(other.test(title)) : 0));
}

export function stagesDiffer(one: Stage, other: Stage): boolean {
  return one.stages !== other.stages;
}

export function areOpposite(one: Stage, other: Stage): boolean {
  return (one.yes & other.no) !== 0 || (one.no & other.yes) !== 0;
}
