/** What continues a sentence after an inserted clause. */
const RESUMES =
  '(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|did|does|do|said|says|to|became|began|bought|brought|built|came|fell|found|gave|got|grew|held|kept|led|left|lost|made|met|paid|put|ran|rose|sent|set|spoke|told|took|went|won|wrote|[a-z]{2,}ed)\\b';
const RESUMED = new RegExp(`, ${RESUMES}`);
const VERB = new RegExp(`\\b${RESUMES}`);
/** A comma inside a figure separates nothing. */
const WITHOUT_COMMA = '(?:[^,;:"“”]|,(?=\\d))';
/** Between two commas or dashes: a relative clause, an apposition, an age, a remark. The sentence says the same without it. */
const INSERTED = new RegExp(
  ` (?:—|–|--) [^—–"“”]{3,120} (?:—|–|--) (?=${RESUMES})|, (?:(?:which|who|whose|where|including|a|an|the|founded|based|known|formerly|[A-Z][A-Za-z]+) ${WITHOUT_COMMA}{3,120}|\\d{1,3}), (?=${RESUMES})`,
);

/** The day of the week: a summary is read soon after the news. */
const WEEKDAY =
  / (?:late |early )?on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?: (?:morning|afternoon|evening|night))?(?=[,.]| (?!and |or |to |through |until ))/g;

/** A clause after a comma that lasts to the end of the sentence. */
const ADDED =
  /, (?:which|who|whose|where|with|including|as(?! well)|while|after|following|amid|(?:in )?an? [a-z]+ that|(?!according|during|(?:any|every|no|some)thing|building|evening|morning)[a-z]{2,}ing) /g;
/** The same without a comma. */
const CIRCUMSTANCE = new RegExp(
  ` (?:after|when|because|while|following|amid|in (?:an (?:attempt|effort)|a bid|order) to|as part of|as (?=(?:the|an?|its|their|his|her|it|they|he|she|[A-Z])[^,]* ${RESUMES})) ?`,
  'g',
);
/** Words that belong together with the one that follows: "a week after", "known as". */
const BOUND =
  /\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|shortly|soon|long|just|even|immediately|only|such|same|well|far|much|many|as|known|seen|described|regarded|treated|viewed|used|named|elected|appointed|work(?:ed|s|ing)?|serv(?:e[ds]?|ing)|act(?:ed|s|ing)?)$/i;
/** A second main clause. */
const COORDINATED = /, and (?:the|an?|its|their|his|her|it|they|he|she|[A-Z]\w+) /g;

/** Where one of these stands, the circumstance can be what is denied. */
const DENIAL = /\b(?:not|never|no|only|unless|if|whether|hardly|few|without)\b|n['’]t\b/i;
/** Here it can be a condition. */
const FUTURE = /\b(?:will|would|can|could|may|might|must|should)\b/i;
/** Begins with something before the main clause. */
const OPENING =
  /^(?:after|although|as|at|because|before|by|despite|during|for|from|if|in|of|on|once|over|since|though|to|under|unlike|until|when|while|with)\b/i;

const CLAIM =
  '(?:said|says|reported|announced|admitted|claimed|alleged|warned|shows?|showed|found|added|confirmed)';
const SPEAKER = new RegExp(
  `, (?:according to [^,]{3,80}|[^,]{2,60} ${CLAIM}(?: (?:on|in|at) [^,]{2,40})?)\\.["”]?$`,
);
const CLAIMS = new RegExp(`\\b(?:${CLAIM}|told|according to)\\b`);

const MIN_CHARACTERS = 40;
const MIN_SHARE = 0.25;

/**
 * Shorter forms of an English sentence, the longest first: whole sentences that state less, but nothing else. The speaker of a
 * claim stays.
 */
export function shorterForms(sentence: string): string[] {
  if (!sentence.endsWith('.')) return [];
  const forms: string[] = [];
  const timeless = sentence.replace(WEEKDAY, '');
  if (timeless !== sentence) forms.push(timeless);
  let base = sentence;
  for (let shorter = base.replace(INSERTED, ' '); shorter !== base; shorter = base.replace(INSERTED, ' ')) {
    base = shorter;
    forms.push(base);
  }
  const speaker = SPEAKER.exec(base)?.[0] ?? '.';
  const body = base.slice(0, base.length - speaker.length);
  for (const end of endsOf(body)) {
    const kept = body.slice(0, end);
    if (kept.length < Math.max(MIN_CHARACTERS, sentence.length * MIN_SHARE)) break;
    if (speaker === '.' && CLAIMS.test(body.slice(end)) && !CLAIMS.test(kept)) continue;
    if (OPENING.test(kept) && !/, /.test(kept)) continue;
    if ((kept.match(/["“”]/g)?.length ?? 0) % 2 === 0)
      forms.push(kept.endsWith('.') && speaker === '.' ? kept : kept + speaker);
  }
  return forms;
}

/** Where the sentence could end, the last place first. */
function endsOf(body: string): number[] {
  const ends: number[] = [];
  for (const { index, 0: opener } of body.matchAll(ADDED)) {
    const rest = body.slice(index + opener.length);
    const mayHaveCommas =
      /^, (?:while|after|following|amid|(?:in )?an? [a-z]+ that|[a-z]+ing) /.test(opener) &&
      !opener.startsWith(', including');
    if (mayHaveCommas ? !RESUMED.test(rest) : !/,(?!\d)/.test(rest)) ends.push(index);
  }
  for (const { index, 0: opener } of body.matchAll(CIRCUMSTANCE)) {
    const kept = body.slice(0, index);
    if (
      kept.endsWith(',') ||
      BOUND.test(kept) ||
      DENIAL.test(kept) ||
      (opener.startsWith(' when') && FUTURE.test(kept))
    )
      continue;
    if (!RESUMED.test(body.slice(index + opener.length))) ends.push(index);
  }
  for (const { index, 0: opener } of body.matchAll(COORDINATED)) {
    const rest = body.slice(index + opener.length);
    if (!/,(?!\d)/.test(body.slice(0, index)) && !/,(?!\d)/.test(rest) && VERB.test(rest)) ends.push(index);
  }
  return ends.sort((a, b) => b - a);
}
