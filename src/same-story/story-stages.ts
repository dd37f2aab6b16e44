import { PatternIndex } from './pattern-index.ts';
import { STEPS } from './story-steps.ts';

/**
 * Stages of a story over several days, each in the words that different papers use for it. Titles at different stages are
 * two pieces of news, however much else they share: a strike that begins and the same strike that ends, a robbery and an
 * arrest.
 */
const STAGES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:delay|postpon|put off|push\w* back|scrap|cancel|call(?:s|ed) off|shelve|discontinu|abandon|ditch|stops? (?:making|selling)|pull(?:s|ed)? (?:the )?plug|drop(?:s|ped) (?:plan|bid|support|line))/,
    /延期|見送り|中止|断念|先送り/,
  ],
  [
    /\b(?:death toll|toll (?:rises|reaches|climbs)|first death|victims? identified|damage at|leaves \d+ dead)/,
    /死者(?:\d|は|が)|\d人に$|被害まとめ|身元|犠牲者/,
  ],
  [
    /\b(?:fine[sd]?|sues?|sued|lawsuit|penalt\w*|class action|legal action|damages)\b/,
    /改善命令|課徴金|提訴|賠償|罰金|行政処分|訴訟/,
  ],
  [
    /\b(?:arrest|charged\b|charges? (?:with|over|former|ex)|indict|suspect|in custody|police hold|detain|held (?:over|after|for|in|on)\b)/,
    /逮捕|書類送検|送検|起訴(?!内容)|容疑/,
  ],
  [
    /\b(?:sentence[sd]?|jailed|(?:years|months|life) in (?:prison|jail)|prison for|gets? \d+ years)\b/,
    /判決|懲役|禁錮/,
  ],
  [
    /\b(?:trial (?:of .* )?(?:opens|begins|starts)|goes on trial|pleads?|pleaded|admits? (?:to |taking|stealing|killing|murder|fraud|theft|guilt|charge|bribe)|guilty plea|confess)/,
    /初公判|裁判始ま|起訴内容|認める/,
  ],
  [
    /\b(?:in-depth review|opens? (?:a )?review|probe|investigat|inquiry|scrutin)/,
    /調査|審査|検証|立ち入り検査/,
  ],
  [
    /\b(?:ends?|ended|ending|over after|return(?:s|ed)? to (?:work|normal|service)|return home|back to |resum|reopen|restor|back (?:online|up and running)|(?:power|electricity|lights|service) (?:is |are )?back|accept\w* (?:pay|offer|deal))/,
    /再開|終了|終結|収束|解除|解消|復旧|妥結/,
  ],
  [/\b(?:caused by|cause of|blame[sd]?|explains? why|inquiry finds)\b/, /原因/],
  [
    /\b(?:contained|refloat\w*|freed|rescued|brought up alive|recover(?:s|ed)?\b.*stolen|stolen .*found)/,
    /鎮火|離礁|救出|救助され/,
  ],
  [
    /\b(?:succe(?:ed|ssor)\w*|names? .* (?:as|cabinet|chief|head|ceo)|picks? .* as|appoint\w*|to head|cabinet)\b/,
    /後任|新社長|人事|就任|初登庁|組閣/,
  ],
  [/\b(?:resign|steps? down|stepped down|quits?\b|to leave\b)/, /辞任|退任|辞職|辞意/],
  [/\b(?:polls open|votes? in\b|vote begins|campaign|on the ballot|candida)/, /告示|公示|立候補|出馬/],
  [
    /\b(?:fails?|failed|failure|collapses? (?:as|after)|walks? away|break(?:s)? off|breaks down)\b/,
    /失敗|破談|決裂/,
  ],
  [/\b(?:first (?:pictures|images|photos|radar images))\b/, /初画像|初めての画像/],
  [
    /\b(?:shares?|stocks?) (?:\w+ )?(?:fall|fell|drop|slide|slump|sink|plunge|tumble|rise|rose|jump|surge|soar|climb|lose|lost|gain|slip)/,
    /株が|株価|急落|急騰|ストップ[高安]|一時\d+%[安高]/,
  ],
  [/\b(?:dies|died|dead at|death of)\b/, /死去|死亡(?!事故)|亡くな/],
  [
    /\b(?:bodies|body|remains|wreckage|survivors?) .*\b(?:found|recovered)|\b(?:finds?|found|recovers?|recovered) .*\b(?:bod(?:y|ies)|victims?|remains|wreckage)/,
    /遺体|不明者/,
  ],
  [/\b(?:leaves? hospital|goes home|went home|discharged|home from)\b/, /退院|帰国|帰宅/],
  [
    /\b(?:vows?|threatens?|condemns?|retaliat\w*|countermeasures?|reacts?|criticis\w*|criticiz\w*|outrage|backlash|slams?)\b/,
    /反発|抗議|批判|報復|非難/,
  ],
  [/\b(?:warned|had been (?:rated|warned)|knew about|ignored warnings?)\b/, /指摘|把握|放置/],
  [
    /\b(?:farewell|signs? off|bids? goodbye|says? goodbye|last (?:day|show|broadcast))\b/,
    /勇退|最終出社|最後の放送/,
  ],
  [/\b(?:funeral|vigil|memorial|inquest|autopsy|coroner|bur(?:ied|ial))\b/, /葬儀|告別式|追悼|検視|司法解剖/],
  [
    /\b(?:appeals? (?:against|to|over|conviction|verdict|ruling|sentence|rejected|dismissed)|loses appeal|wins appeal|extradit\w*|retrial)\b/,
    /控訴|上告|再審|送還/,
  ],
  [/\b(?:parade|bus tour|celebrat)/, /パレード|祝賀/],
  [/\b(?:acted alone|motive|manifesto)\b/, /単独犯|動機/],
  [/\b(?:apolog\w*|compensat\w*|refund\w*)/, /陳謝|謝罪|補償|返金/],
  [/\b(?:signs? .*(?:bill|law|act)|signed into law|becomes? law|into force)\b/, /成立|施行|公布/],
  [/\b(?:sells? out|sold out|pre-?orders?)\b/, /完売|抽選|予約開始/],
  [/\b(?:exploit(?:ed|ing)?|used in attacks|in the wild)\b/, /悪用/],
  [
    /\b(?:recommend|backs\b|backed\b|approv|authori[sz](?:e|es|ed|ation)\b|clear(?:s|ed)? |(?:gets?|given) (?:the )?(?:green light|go-ahead))/,
    /承認|認可|了承|容認|同意/,
  ],
];

const ENGLISH_OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:rises?|rose|gains?|climbs?|jumps?|up|higher|lifts?|soars?|surges?|rebounds?|rall(?:y|ies))\b/,
    /\b(?:falls?|fell|drops?|down|lower|slides?|slips?|declines?|slumps?|sinks?|plunges?|tumbles?)\b/,
  ],
  [
    /\b(?:begins?|began|starts?|walk(?:s|ed)? out|strikes?)\b/,
    /\b(?:ends?|ended|ending|accepts?|call(?:s|ed) off)\b/,
  ],
  [/\b(?:holds?|keeps?|unchanged|on hold)\b/, /\b(?:cuts?|lowers?|raises?|hikes?)\b/],
  [
    /\b(?:raises?|raised|raising|hikes?|hiked|increases?|lifts?)\b/,
    /\b(?:cuts?|cutting|lowers?|lowered|slash\w*|trims?)\b/,
  ],
  [
    /\b(?:hires?|hiring|adds? .*jobs|recruits?)\b/,
    /\b(?:cuts?|cutting|sheds?|axes?|layoffs?|lay(?:s|ing)? off|fires?)\b/,
  ],
  [
    /\b(?:unveils?|unveiled|launch(?:es|ed)?|introduc(?:es|ed)|expands?|expanded)\b/,
    /\b(?:drops?|dropped|discontinues?|ditch(?:es|ed)?|scraps?|scrapped|abandons?|stops? (?:making|selling))\b/,
  ],
  [/\b(?:allows?|allowed|permits?|clears?)\b/, /\b(?:blocks?|blocked|bans?|banned|bars)\b/],
  [/\b(?:north|northern)\b/, /\b(?:south|southern|east|eastern|west|western)\b/],
  [/\b(?:east|eastern)\b/, /\b(?:south|southern|west|western)\b/],
  [/\bm[ae]n\b/, /\bwom[ae]n\b/],
  [/\b(?:wins?|won|beats?|victory)\b/, /\b(?:loses?|lost|beaten|defeat)\b/],
  [/\b(?:opens?|opened|reopens?)\b/, /\b(?:closes?|closed|shut)\b/],
  [
    /\b(?:uphold\w*|upheld|approves?|passes)\b/,
    /\b(?:overturn\w*|rejects?|rejected|lifts? ban|strikes? down)\b/,
  ],
];

/** In the spelling of `oneSpelling`. */
const JAPANESE_OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /増益|増加|\d%増|上昇|円高|反発|続伸|伸びる|割増|上方修正|\d円高/,
    /減益|減少|\d%減|下落|円安(?!水準)|反落|続落|割減|下方修正|\d円安/,
  ],
  [/据え置き|維持/, /値上げ|引き下げ|利上げ|利下げ/],
  [/値上げ|利上げ/, /引き下げ|利下げ/],
  [/成功/, /失敗|延期|中止/],
  [/開館|開業|新設|建設|新工場/, /閉館|閉鎖|廃止|撤退/],
  [/優勝|勝ち|勝利|連勝|初v/, /敗れ|敗退|連敗/],
  [/可決/, /否決/],
  [/稼働|起動|運転開始|から運転/, /停止|運転見合わせ|休止/],
  [/男/, /女/],
];

/** Of a kind of news. */
const MAX_STEPS = 16;

const OPPOSITES = [...ENGLISH_OPPOSITES, ...JAPANESE_OPPOSITES];
const ALL_STEPS = STEPS.flatMap((steps, kind) =>
  steps.map(([english, japanese], number) => ({ step: kind * MAX_STEPS + number, english, japanese })),
);
const PATTERNS = new PatternIndex([
  STAGES.map(inBothLanguages),
  OPPOSITES.map(([yes]) => yes),
  OPPOSITES.map(([, no]) => no),
  ALL_STEPS.map(({ english, japanese }) => inBothLanguages([english, japanese])),
]);
/** The first integer of the fourth group: the others have one each. */
const FIRST_OF_STEPS = 3;

function inBothLanguages([english, japanese]: readonly [RegExp, RegExp]): RegExp {
  return new RegExp(`${english.source}|${japanese.source}`);
}

/** The stages and opposites in a title, as bits for a fast comparison, and the last step of each kind of news. */
export interface Stage {
  readonly stages: number;
  readonly yes: number;
  readonly no: number;
  /** `MAX_STEPS` times the number of the kind, and the number of the step; in ascending order. */
  readonly steps: readonly number[];
}

const NO_STEPS: readonly number[] = [];
const NONE: Stage = { stages: 0, yes: 0, no: 0, steps: NO_STEPS };

/** Expects a title in lower case. */
export function stageOf(title: string): Stage {
  const found = PATTERNS.match(title);
  if (found === null) return NONE;
  const stages = found[0] as number;
  const yes = found[1] as number;
  const no = found[2] as number;
  // A title with both sides is on neither.
  const both = yes & no;
  return { stages, yes: yes & ~both, no: no & ~both, steps: stepsIn(found) };
}

function stepsIn(found: Int32Array): readonly number[] {
  const steps: number[] = [];
  for (let index = FIRST_OF_STEPS; index < found.length; index++)
    for (let left = found[index] ?? 0; left !== 0; left &= left - 1) {
      const bit = 31 - Math.clz32(left & -left);
      const { step } = ALL_STEPS[(index - FIRST_OF_STEPS) * 32 + bit] as (typeof ALL_STEPS)[number];
      // A later step of a kind replaces an earlier one.
      if (kindOf(steps.at(-1) ?? -1) === kindOf(step)) steps.pop();
      steps.push(step);
    }
  return steps.length === 0 ? NO_STEPS : steps;
}

function kindOf(step: number): number {
  return Math.floor(step / MAX_STEPS);
}

/** Both titles are at a stage, and at none that both have. */
export function stagesConflict(one: Stage, other: Stage): boolean {
  return one.stages !== 0 && other.stages !== 0 && (one.stages & other.stages) === 0;
}

/** Both titles are at a step of some kind of news, and it is another one. */
export function stepsConflict({ steps: one }: Stage, { steps: other }: Stage): boolean {
  let [at, there] = [0, 0];
  while (at < one.length && there < other.length) {
    const mine = one[at] as number;
    const theirs = other[there] as number;
    if (mine !== theirs && kindOf(mine) === kindOf(theirs)) return true;
    if (mine <= theirs) at++;
    if (mine >= theirs) there++;
  }
  return false;
}

/** Only one of the titles is at a stage. */
export function isOneSided(one: Stage, other: Stage): boolean {
  return (one.stages === 0) !== (other.stages === 0);
}

export function areOpposite(one: Stage, other: Stage): boolean {
  return (one.yes & other.no) !== 0 || (one.no & other.yes) !== 0;
}
