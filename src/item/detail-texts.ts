/** Details of items, messages and runs that the program itself writes, by code. A client shows its own text for a code. */
export const DETAIL_TEXTS = {
  all_dropped: 'every message was dropped',
  another_run: 'another run is in progress',
  being_posted: 'being posted',
  clock_ahead: 'the clock was ahead',
  earlier_attempt: 'an earlier attempt may have been posted',
  judged_again: 'judged again',
  log_has_details: 'the log has the details',
  maybe_posted: 'it may or may not have been posted',
  no_read_back: 'this destination does not support reading back',
  no_read_back_discord: 'a Discord webhook cannot list its messages',
  no_read_back_webhook: 'a webhook does not support reading back',
  no_text_to_judge: 'There is no text to judge.',
  not_sent_yet: 'not sent yet',
  not_there: 'it is not there',
  page_without_feed: 'a web page that links to no feed',
  rate_limited: 'the destination is rate limited',
  reading_too_long: 'the reading took too long',
  reply_lost: 'the reply was lost',
  sent_again: 'its message is sent again',
  stopped_before_read_back: 'stopped before the read-back',
  stopped_before_sending: 'stopped before it was sent',
  summarised: 'summarised',
} as const;

export type DetailCode = keyof typeof DETAIL_TEXTS;

const CODES = new Map<string, DetailCode>(
  Object.entries(DETAIL_TEXTS).map(([code, text]) => [text, code as DetailCode]),
);

/** `null`: the detail has a value in it, or comes from another program. */
export function detailCodeOf(detail: string): DetailCode | null {
  return CODES.get(detail) ?? null;
}
