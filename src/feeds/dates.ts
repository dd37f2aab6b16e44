/** Checked, since `Date.UTC` would turn 31 February into March silently. `24:00` is the next day's beginning. */
export function utcTimestamp(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
  zone: number,
): number | null {
  if (month < 0 || month > 11 || day < 1 || day > new Date(Date.UTC(year, month + 1, 0)).getUTCDate())
    return null;
  if (hour > 24 || minute > 59 || second > 60 || (hour === 24 && (minute > 0 || second > 0))) return null;
  return Date.UTC(year, month, day, hour, minute, Math.min(second, 59), ms) - zone * 60_000;
}

/** The year before an era's first. */
const ERAS: Readonly<Record<string, number>> = {
  令和: 2018,
  平成: 1988,
  昭和: 1925,
  R: 2018,
  H: 1988,
  S: 1925,
};

const JAPAN_OFFSET_MINUTES = 9 * 60;
const CHINA_OFFSET_MINUTES = 8 * 60;

const DATE =
  /^(?:(令和|平成|昭和|[RHS])\.? ?(元|\d{1,2})|(\d{4}))(?: ?[年년] ?|[./-])(\d{1,2})(?: ?[月월] ?|[./-])(\d{1,2})(?: ?[日일號号])?(.*)$/;
const TIME =
  /^ ?(午前|午後|上午|下午|오전|오후|AM|PM)? ?(\d{1,2})(?: ?[時时點点시] ?|:)(?:(\d{1,2})(?: ?[分분]|:)?)? ?(?:(\d{1,2}) ?[秒초]?)? ?(.*)$/i;

/**
 * `2026年11月15日(日) 20時05分`, `令和8年11月15日`, `R8.11.15`, `平成元年1月8日 午後3時`, `2026년 11월 15일 오후 3:05`,
 * `2026年11月15日 下午3:05`. Without a zone: Japanese and Korean time, or Chinese time where the words are Chinese.
 */
export function parseJapaneseDate(line: string): number | null {
  const match = DATE.exec(line);
  if (!match || !(/[年년午]|오[전후]/.test(line) || match[1] !== undefined)) return null;
  const [, era, eraYear, plainYear, month = '', day = '', rest = ''] = match;
  const year =
    era === undefined ? Number(plainYear) : (ERAS[era] ?? 0) + (eraYear === '元' ? 1 : Number(eraYear));
  const time = TIME.exec(
    rest.replace(/^ ?(?:[(（][^)）]{1,4}[)）]|(?:星期|周|週|礼拜)[一二三四五六日天])/, ''),
  );
  const half = time?.[1] ?? '';
  const hour = twelve(Number(time?.[2] ?? 0), /^(?:午後|下午|오후|pm)$/i.test(half) ? 'pm' : '');
  if (hour === null) return null;
  const isChinese = /[上下]午|[时點点号號周週]|星期/.test(rest);
  const zone = time?.[5] ? offsetAt(time[5], Date.UTC(year, +month - 1, +day, hour)) : null;
  return utcTimestamp(
    year,
    +month - 1,
    +day,
    half === '午前' && hour === 12 ? 0 : hour,
    Number(time?.[3] ?? 0),
    Number(time?.[4] ?? 0),
    0,
    zone ?? (isChinese ? CHINA_OFFSET_MINUTES : JAPAN_OFFSET_MINUTES),
  );
}

const MONTHS: Readonly<Record<string, number>> = {
  jan: 0,
  feb: 1,
  mar: 2,
  apr: 3,
  may: 4,
  jun: 5,
  jul: 6,
  aug: 7,
  sep: 8,
  oct: 9,
  nov: 10,
  dec: 11,
  // Forms of German, French, Spanish, Italian, Portuguese and Dutch without their accents and full stops.
  mai: 4,
  okt: 9,
  dez: 11,
  fev: 1,
  avr: 3,
  jui: 5,
  aou: 7,
  ene: 0,
  abr: 3,
  ago: 7,
  dic: 11,
  gen: 0,
  mag: 4,
  giu: 5,
  lug: 6,
  set: 8,
  ott: 9,
  mei: 4,
  mrt: 2,
  out: 9,
};

/** The months in other languages, without accents; also the form that a name has in a date. Short forms are their beginnings. */
const FOREIGN_MONTHS = [
  'janvier enero gennaio janeiro januari tammikuuta styczen stycznia leden ledna januara ianuarie ocak ιανουαριου январь января січень січня януари јануар gener sausis sausio janvaris jaanuar sijecanj sijecnja يناير ژانویه ינואר जनवर',
  'fevrier febrero febbraio fevereiro helmikuuta luty lutego unora februara februarie subat φεβρουαριου февраль февраля лютии лютого февруари фебруар vasaris vasario februaris veebruar veljaca veljace فبراير فوریه פברואר फरवर',
  'mars marzo marco maart mrt marts maaliskuuta marzec marca brezen brezna marec marcius martie μαρτιου марта березень березня maret kovas kovo ozujak ozujka مارس מרץ मरच',
  'avril abril aprile huhtikuuta kwiecien kwietnia duben dubna aprila aprilis aprilie nisan απριλιου апрель апреля квітень квітня април dabril balandis balandzio aprill travanj travnja ابريل اوریل אפריל अपरल',
  'mayo maggio maio mei toukokuuta maja kveten kvetna majus mayıs μαιου маи мая травень травня мај maig geguzes maijs svibanj svibnja مايو מאי',
  'juin junio giugno junho kesakuuta czerwiec czerwca cerven cervna cvn juna junius iunie haziran ιουνιου июнь июня червень червня юни јун juny birzelis birzelio junijs juuni lipanj lipnja يونيو ژوين יוני',
  'juillet lip luglio julho heinakuuta lipiec lipca cervenec cervence cvc jula julius iulie temmuz ιουλιου июль июля липень липня юли јул juliol liepa liepos julijs juuli srpanj srpnja يوليو ژويیه יולי जलई',
  'aout srp agosto augustus augusti elokuuta sierpien sierpnia srpen srpna augusta augusztus agustos αυγουστου августа серпень серпня dagost agustus avgust rugpjutis rugpjucio augusts kolovoza اغسطس اوت אוגוסט अगसत',
  'september septembre septiembre settembre setembro syyskuuta wrzesien wrzesnia zari septembra szeptember septembrie eylul σεπτεμβριου сентябрь сентября вересень вересня септември септембар setembre rugsejis rugsejo septembris rujan rujna سبتمبر سپتامبر ספטמבר सतबर',
  'oktober octobre octubre ottobre outubro lokakuuta pazdziernika rijen rijna oktobra octombrie ekim οκτωβριου октябрь октября жовтень жовтня октомври октобар doctubre spalis spalio oktobris oktoober اكتوبر اکتبر אוקטובר अकटबर',
  'november novembre noviembre novembro marraskuuta listopada listopadu novembra noiembrie kasım νοεμβριου ноябрь ноября листопада ноември новембар lapkritis lapkricio novembris studeni studenoga نوفمبر نوامبر נובמבר नवबर',
  'dezember decembre diciembre dicembre dezembro december desember joulukuuta grudzien grudnia prosinec prosince decembra decembrie aralık δεκεμβριου декабрь декабря грудень грудня декември децембар desembre gruodis gruodzio decembris detsember prosinac prosinca ديسمبر دسامبر דצמבר दसबर',
].map((names) => names.split(' '));

/** In lower case, without accents and full stops. */
function plainWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\p{M}.’']/gu, '')
    .toLowerCase();
}

/** Minutes east of Greenwich. Single letters are read as zero: RFC 822 had their signs wrong, so they are not reliable. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  wez: 0,
  azot: -60,
  cvt: -60,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 60,
  bst: 60,
  ist: 330,
  cet: 60,
  cest: 120,
  mez: 60,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  jst: 540,
  kst: 540,
  hkt: 480,
  sgt: 480,
  aest: 600,
  aedt: 660,
  acst: 570,
  awst: 480,
  nzst: 720,
  nzdt: 780,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
  ast: -240,
  adt: -180,
  nst: -210,
  ndt: -150,
  hdt: -540,
  sst: -660,
  chst: 600,
  brt: -180,
  brst: -120,
  art: -180,
  uyt: -180,
  clt: -240,
  clst: -180,
  bot: -240,
  vet: -240,
  gyt: -240,
  pyt: -180,
  pet: -300,
  cot: -300,
  ect: -300,
  met: 60,
  mest: 120,
  cedt: 120,
  wat: 60,
  cat: 120,
  sast: 120,
  idt: 180,
  eat: 180,
  trt: 180,
  msd: 240,
  gst: 240,
  samt: 240,
  azt: 240,
  get: 240,
  amt: 240,
  irst: 210,
  irdt: 270,
  aft: 270,
  pkt: 300,
  uzt: 300,
  yekt: 300,
  npt: 345,
  omst: 360,
  mmt: 390,
  ict: 420,
  wib: 420,
  krat: 420,
  novt: 420,
  wita: 480,
  irkt: 480,
  myt: 480,
  pht: 480,
  twt: 480,
  ulat: 480,
  wit: 540,
  yakt: 540,
  acdt: 630,
  pgt: 600,
  vlat: 600,
  lhst: 630,
  fjt: 720,
};

/** Names that mean the time of a place, in summer as in winter. */
const PLACES: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  eastern: 'America/New_York',
  ct: 'America/Chicago',
  central: 'America/Chicago',
  mt: 'America/Denver',
  mountain: 'America/Denver',
  pt: 'America/Los_Angeles',
  pacific: 'America/Los_Angeles',
  akt: 'America/Anchorage',
  ht: 'Pacific/Honolulu',
  at: 'America/Halifax',
  nt: 'America/St_Johns',
  uk: 'Europe/London',
};

/** Maximum length of a date. */
const MAX_DATE_LENGTH = 100;

/**
 * Reads a date as feeds write it: RFC 822 and its many variants, ISO 8601, RFC 3339, Japanese forms with and without
 * eras, Unix seconds. Weekdays are ignored, since they are often wrong. A date without a zone is taken as UTC (as
 * Japanese time if it is written in Japanese). `null` where there is no date or an impossible one.
 */
export function parseDate(text: string): number | null {
  if (text === '') return null;
  const usual = USUAL.exec(text);
  if (usual !== null) return parseUsual(usual);
  const line = text
    .slice(0, MAX_DATE_LENGTH)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim()
    // A day of the week before a date in figures, and the name of a month in one.
    .replace(/^\p{L}{2,12}\.?,? ?(?=\d{4}[-/.年년])/u, '')
    .replace(/^(\d{4}[-/.])(\p{L}{3,12})(?=[-/.]\d)/u, (_all, year: string, word: string) => {
      const month = monthOf(word);
      return `${year}${month === null ? word : month + 1}`;
    });
  if (line === '') return null;
  const time =
    parseJapaneseDate(line) ?? parseIso(line) ?? parseWords(line) ?? parseAmerican(line) ?? parseUnix(line);
  return time !== null && time >= EARLIEST && time < LATEST ? time : null;
}

/** Fast path for the form that most feeds use. */
const USUAL = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (20\d{2}) (\d{2}):(\d{2}):(\d{2}) (GMT|[+-]\d{4})$/;

function parseUsual(found: RegExpExecArray): number | null {
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '', zone = ''] = found;
  const offset = parseZone(zone);
  const index = MONTHS[month.toLowerCase()];
  if (index === undefined || offset === null) return null;
  return utcTimestamp(+year, index, +day, +hour, +minute, +second, 0, offset);
}

const EARLIEST = Date.UTC(1971, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/** `2026-11-15T20:00:00.123+09:00`, with blanks, slashes or dots, with parts missing. */
const ISO =
  /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ,]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?)? ?(.*)$/i;
const YEAR = /^(?:19|20)\d{2}$/;
const ISO_COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2})?)?()() ?(z|[+-]\d.*|[a-z]{1,5})?$/i;

function parseIso(line: string): number | null {
  if (YEAR.test(line)) return utcTimestamp(+line, 0, 1, 0, 0, 0, 0, 0);
  const match = ISO.exec(line) ?? ISO_COMPACT.exec(line);
  if (!match) return null;
  const fields =
    match[9] === undefined && match.length === 9 ? match : [...match.slice(0, 8), match[9] ?? ''];
  const [
    ,
    year = '',
    month = '',
    day = '1',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    zone = '',
  ] = fields;
  const offset = offsetAt(zone, Date.UTC(+year, +month - 1, +day, +hour, +minute));
  if (offset === null) return null;
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  return utcTimestamp(+year, +month - 1, +day, +hour, +minute, +second, ms, offset);
}

/** `Sun, 15 Nov 2026 20:00:00 GMT`, `15 November 26 8:00 pm`, `Nov 15, 2026`, and Unix `date` with the year last. */
function parseWords(line: string): number | null {
  const words = line
    .replace(/(\d)(?:st|nd|rd|th|er|\.º|º|ª)(?![\p{L}])/giu, '$1')
    .replace(/(?<=\d)[-./](\p{L}{3,12})[-./](?=\d)/gu, ' $1 ')
    .replace(/(?<=\d\.?)(\p{L}{3,12})(?=[ .,-]|$)/gu, ' $1 ')
    // Months as numbers with a word: `15 11月 2026`, `15 Tháng 11 2026`, `15 Th11 2026`.
    .replace(/(\d{1,2})[月월]|(?<!\p{L})(?:tháng|thg|th) ?(\d{1,2})(?!\d)/giu, ' month$1$2 ')
    .split(/[\s,،;]+/);
  let month: number | null = null;
  let monthAt = -1;
  let time: RegExpExecArray | null = null;
  let pm = '';
  const numbers: string[] = [];
  let zone = '';
  for (const [at, word] of words.entries()) {
    const clock =
      /^(\d{1,2})[:h](\d{1,2})(?::(\d{1,2})(?:[.,]\d{1,9})?)?(z|am|pm|(?:gmt|utc)?[+-]\d{2}:?\d{2})?$/i.exec(
        word,
      );
    if (clock) {
      time = clock;
      if (/^[ap]m$/i.test(clock[4] ?? '')) pm = clock[4] ?? '';
      else zone ||= clock[4] ?? '';
      continue;
    }
    if (/^\d{1,4}\.?$/.test(word)) {
      numbers.push(word.replace('.', ''));
      continue;
    }
    if (/^[ap]\.?m\.?$/i.test(word)) {
      pm = word;
      continue;
    }
    // A day of the week may look like a month (`mar, 12 mai 2026`): the later word is the month.
    const named: number | null = month === null || monthAt === 0 ? monthOf(word) : null;
    if (named !== null) {
      month = named;
      monthAt = at;
    } else if (isZone(word) && (time || numbers.length > 1)) {
      // An offset is more exact than the name before it: `EST -0500`.
      if (zone === '' || /^[+-]/.test(word)) zone = word;
    }
  }
  const [first, second] = numbers;
  if (month === null || first === undefined || second === undefined) return null;
  const [day, year] = first.length > 2 ? [second, first] : [first, second];
  // `8 pm` has no minutes.
  const hour = twelve(Number(time?.[1] ?? (pm === '' ? 0 : (numbers[2] ?? 0))), pm);
  if (hour === null) return null;
  const [minute, seconds] = [Number(time?.[2] ?? 0), Number(time?.[3] ?? 0)];
  const offset = offsetAt(zone, Date.UTC(fullYear(year), month, +day, hour, minute));
  return offset === null ? null : utcTimestamp(fullYear(year), month, +day, hour, minute, seconds, 0, offset);
}

/** `11/15/2026 8:00 PM`; the day first where the month would be impossible, or where dots part them. */
function parseAmerican(line: string): number | null {
  const match =
    /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))? ?([ap]\.?m\.?)?)? ?(.*)$/i.exec(
      line,
    );
  if (!match) return null;
  const [, a = '', mark, b = '', year = '', hour = '0', minute = '0', second = '0', pm = '', zone = ''] =
    match;
  const dayFirst = mark === '.' || +a > 12;
  const hours = twelve(+hour, pm);
  if (hours === null) return null;
  const [days, months] = dayFirst ? [+a, +b] : [+b, +a];
  const offset = offsetAt(zone, Date.UTC(fullYear(year), months - 1, days, hours, +minute));
  if (offset === null) return null;
  return utcTimestamp(fullYear(year), months - 1, days, hours, +minute, +second, 0, offset);
}

/** Seconds or milliseconds since 1970. */
function parseUnix(line: string): number | null {
  if (!/^\d{9,13}(?:\.\d{1,6})?$/.test(line)) return null;
  const value = Number(line);
  return value > 99_999_999_999 ? Math.round(value) : Math.round(value * 1000);
}

function monthOf(word: string): number | null {
  const numbered = /^month(\d{1,2})$/.exec(word)?.[1];
  if (numbered !== undefined) return +numbered >= 1 && +numbered <= 12 ? +numbered - 1 : null;
  if (word.length < 3 || !/^[\p{L}\p{M}]+\.?$/u.test(word)) return null;
  const plain = plainWord(word);
  const short = MONTHS[plain.slice(0, 3)] ?? null;
  if (short !== null && (plain.length === 3 || ENGLISH_MONTH.test(plain))) return short;
  if (ENGLISH_DAY.test(plain) || ZONES[plain] !== undefined || PLACES[plain] !== undefined) return null;
  // A date that cannot be read is often no date at all: no word of it is sought twice.
  const known = foreignMonths.get(plain);
  if (known !== undefined) return known;
  for (const isMeant of [(name: string) => name === plain, (name: string) => name.startsWith(plain)]) {
    const month = FOREIGN_MONTHS.findIndex((names) => names.some(isMeant));
    if (month >= 0) return remembered(plain, month);
  }
  return remembered(plain, short);
}

const foreignMonths = new Map<string, number | null>();
const MAX_REMEMBERED = 500;

function remembered(word: string, month: number | null): number | null {
  if (foreignMonths.size < MAX_REMEMBERED) foreignMonths.set(word, month);
  return month;
}

const ENGLISH_DAY = /^(?:mon|tue|wed|thu|fri|sat|sun)(?:s|rs|urs|nes|ur)?(?:day)?$/;

const ENGLISH_MONTH =
  /^(?:january|february|march|april|june|july|august|sept|september|october|november|december)$/;

function isZone(word: string): boolean {
  return (
    /^\(?[A-Za-z]{1,8}\)?$/.test(word) ||
    /^(?:[A-Za-z]{1,5})?[+-]\d{1,2}:?\d{0,2}$/.test(word) ||
    PLACE.test(word)
  );
}

const PLACE = /^[A-Z][A-Za-z_-]{2,20}(?:\/[A-Z][A-Za-z_-]{2,30}){1,2}$/;

/** Minutes east of Greenwich at a moment that is given in local time, as if it were UTC; otherwise like `parseZone`. */
function offsetAt(zone: string, local: number): number | null {
  const name = zone.replace(/^\(|\)$/g, '').replace(/ time$/i, '');
  const place = PLACES[name.toLowerCase()] ?? (PLACE.test(name) ? name : undefined);
  if (place === undefined) return parseZone(zone);
  // The offset may change between the two moments: the second look settles it.
  const first = placeOffset(place, local);
  return first === null ? 0 : (placeOffset(place, local - first * 60_000) ?? first);
}

function placeOffset(place: string, at: number): number | null {
  if (Number.isNaN(at)) return null;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: place, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    return parseZone(name ?? '');
  } catch {
    return null;
  }
}

/** Minutes east of Greenwich; 0 if there is no zone, null if it is invalid. */
function parseZone(text: string): number | null {
  if (text === 'GMT' || text === '' || text === 'Z') return 0;
  const zone = text
    .trim()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/^\(|\)$/g, '');
  if (zone === '') return 0;
  const offset = /^(?:[a-z]{1,5})? ?([+-]) ?(\d{1,2}):?(\d{2})?(?::?\d{2})?$/i.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return minutes > 14 * 60 ? null : offset[1] === '-' ? -minutes : minutes;
  }
  const named = ZONES[zone.toLowerCase()];
  if (named !== undefined) return named;
  return /^[A-Za-z]{1,8}$/.test(zone) ? 0 : null;
}

function twelve(hour: number, pm: string): number | null {
  if (pm === '') return hour;
  if (hour < 1 || hour > 12) return hour <= 23 ? hour : null;
  return (hour % 12) + (/^p/i.test(pm) ? 12 : 0);
}

function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  return Number(year) < 70 ? 2000 + Number(year) : 1900 + Number(year);
}
