/** One of these stands before the name of a paper. */
const DASH = /[-–—|·:｜]/;
const CLOSING = ')]）】>〉';
const OPENING = '[【〔(';
const SHORTEST = 12;

/** Marks like 【速報】, a prefix like "Breaking:", the name of the paper at the end. */
export function withoutTrimmings(title: string): string {
  // Most titles have none of it, and a glance at a character tells; the patterns try every place of a title.
  return withoutEnd(withoutPrefix(withoutMarks(title)));
}

function withoutMarks(title: string): string {
  if (!OPENING.includes(title.trimStart().charAt(0))) return title;
  return title.replace(/^(?:\s*[[【〔(][^\])】〕]{1,12}[\])】〕])+/u, '');
}

function withoutPrefix(title: string): string {
  if (!/[-:：|]/.test(title)) return title;
  return title
    .replace(
      /^\s*(?:breaking(?: news)?|update(?: \d+)?|exclusive|just in|watch|live|live updates|video|速報|独自|動画)\s*[-:：|]\s*/iu,
      '',
    )
    .replace(/^\s*(?:show|ask|tell) hn:\s*/iu, '');
}

/** Twice: a mark may stand before the name. */
function withoutEnd(title: string): string {
  const text = withoutOneEnd(title);
  return text === title ? title : withoutOneEnd(text);
}

function withoutOneEnd(title: string): string {
  let shorter = title;
  if (CLOSING.includes(shorter.trimEnd().slice(-1)))
    shorter = shorter.replace(/\s*[([（【<〈][^)\]）】>〉]{1,24}[)\]）】>〉]\s*$/u, '');
  if (DASH.test(shorter))
    shorter = shorter.replace(/(?:\s+[-–—|·:]+\s+|\s*[|｜]\s*|\s+[-–—])[^-–—|｜]{1,32}$/u, '');
  if (shorter === title) return title;
  return [...shorter].length >= SHORTEST || shorter.length * 2 > title.length ? shorter : title;
}
