import { detailCodeOf } from '../../src/item/detail-texts.ts';
import type { Item, Verdict } from '../../src/item/item.ts';
import { REASONS } from '../../src/item/lifecycle.ts';
import { DETAILS } from './words/details.ts';
import { articleProblemText } from './words/problems-en.ts';
import { language, words } from './words/words.ts';

/** A part of a detail: a text of the page, or the words of another program, a person or a judge. */
export interface DetailPart {
  readonly text: string;
  readonly isQuotation: boolean;
}

/** Codes after which the words of the server say nothing more. */
const COMPLETE_CODES: readonly string[] = ['no_text', 'not_found', 'paywall'];

/** The detail of an item, a message or a run, in the reader's language as far as the server itself wrote it. */
export function detailParts(detail: string, reason?: Item['reason']): readonly DetailPart[] {
  if (detail === '') return [];
  const w = words.value;
  const own = (text: string): DetailPart => ({ text, isQuotation: false });
  const [, code = '', rest = ''] = /^(?:last: )?([\w-]+)(?:: (.*))?$/s.exec(detail) ?? [];
  const article = articleProblemText(w.articleProblems, code);
  if (article !== null && rest !== '')
    return [own(article), ...(COMPLETE_CODES.includes(code) ? [] : detailParts(rest))];
  if (detail.startsWith('last: ') && isReason(code)) return [own(w.reasons[code]), ...detailParts(rest)];
  // A destination, and what it or the program said.
  if ((reason === 'delivery_refused' || reason === 'delivery_unknown') && rest !== '')
    return [own(code), ...detailParts(rest)];
  const codes = detail.split('; ').map((part) => [part, detailCodeOf(part)] as const);
  if (codes.every(([, known]) => known === null)) return [{ text: detail, isQuotation: true }];
  return codes.map(([part, known]) =>
    known === null ? { text: part, isQuotation: true } : own(DETAILS[language.value].texts[known]),
  );
}

function isReason(code: string): code is Item['reason'] {
  return (REASONS as readonly string[]).includes(code);
}

/**
 * Why a judge decided so: what the built-in judge counted, or the words of a model. `beside`: the reason that is shown
 * before it, and not repeated.
 */
export function verdictParts(
  { reason, mentions, score }: Pick<Verdict, 'reason' | 'mentions' | 'score'>,
  beside: Item['reason'] = 'none',
): readonly DetailPart[] {
  if (mentions === undefined) return detailParts(reason);
  if (beside === 'no_topic_match' && mentions.length === 0 && score === 0) return [];
  const w = DETAILS[language.value];
  const none = (score ?? 0) > 0 ? w.inPassing : w.noMentions;
  return [{ text: mentions.length > 0 ? w.mentions(mentions) : none, isQuotation: false }];
}
