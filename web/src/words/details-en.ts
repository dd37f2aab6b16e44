import type { UnreadableReason } from '../../../src/articles/article.ts';
import type { DetailCode } from '../../../src/item/detail-texts.ts';
import type { TopicMention } from '../../../src/item/item.ts';

export type ArticleProblemTexts = Readonly<Record<UnreadableReason, string>>;

/** By the reason of the article reader. */
export const articleProblemsEn: ArticleProblemTexts = {
  not_found: 'The page does not exist any more.',
  paywall: 'The page shows its text only to subscribers.',
  timeout: 'The site did not answer in time.',
  not_html: 'The page is not an article.',
  no_text: 'No article text was found on the page.',
  too_large: 'The page is larger than the limit.',
  blocked_address: 'The address of the page is blocked.',
  server_error: 'The site reports an error.',
  unreachable: 'The site cannot be reached.',
};

/** `null` for what is no reason of the article reader. */
export function articleProblemText(
  texts: ArticleProblemTexts,
  why: string | number | undefined,
): string | null {
  return Object.entries(texts).find(([reason]) => reason === why)?.[1] ?? null;
}

/** Details of items, messages and runs that the server itself writes. */
export interface DetailWords {
  readonly texts: Readonly<Record<DetailCode, string>>;
  readonly mentions: (mentions: readonly TopicMention[]) => string;
  readonly noMentions: string;
  readonly inPassing: string;
}

export const detailsEn: DetailWords = {
  texts: {
    all_dropped: 'Every message was dropped',
    another_run: 'Another run is in progress',
    being_posted: 'Being posted',
    clock_ahead: 'The clock was ahead',
    earlier_attempt: 'An earlier attempt may have been posted',
    judged_again: 'Judged again',
    log_has_details: 'The log of the server has the details.',
    maybe_posted: 'It may or may not have been posted',
    no_read_back: 'The destination cannot be asked whether it arrived',
    no_read_back_discord: 'A Discord webhook cannot be asked whether it arrived',
    no_read_back_webhook: 'A webhook cannot be asked whether it arrived',
    no_text_to_judge: 'There is no text to judge.',
    not_sent_yet: 'Not sent yet',
    not_there: 'It is not there',
    page_without_feed: 'A web page that links to no feed',
    rate_limited: 'The destination limits the rate of messages',
    reading_too_long: 'Reading took too long',
    reply_lost: 'The reply was lost',
    sent_again: 'Its message is sent again',
    stopped_before_read_back: 'Stopped before it was checked',
    stopped_before_sending: 'Stopped before it was sent',
    summarised: 'Summarised',
  },
  mentions: (mentions) =>
    `${mentions
      .map(({ topic, times, inTitle }) => {
        const often = times === 1 ? 'once' : `${times} times`;
        return `“${topic}” ${often}${inTitle ? ', also in the title' : ' in the text'}`;
      })
      .join('; ')}.`,
  noMentions: 'Mentions none of the topics.',
  inPassing: 'Mentions the topics only in passing.',
};
