import type { DetailCode } from '../../../src/item/detail-texts.ts';
import type { TopicMention } from '../../../src/item/item.ts';
import type { Language } from './catalogues.ts';

/** Details of items, messages and runs that the server itself writes. */
interface DetailWords {
  readonly texts: Readonly<Record<DetailCode, string>>;
  readonly mentions: (mentions: readonly TopicMention[]) => string;
  readonly noMentions: string;
  readonly inPassing: string;
}

const en: DetailWords = {
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

const ja: DetailWords = {
  texts: {
    all_dropped: 'すべてのメッセージが破棄されました',
    another_run: '別の実行が進行中です',
    being_posted: '配信中です',
    clock_ahead: '時計が進んでいました',
    earlier_attempt: '以前の試行で配信済みの可能性があります',
    judged_again: '再判定しました',
    log_has_details: '詳細はサーバーのログを確認してください。',
    maybe_posted: '配信されたかどうかわかりません',
    no_read_back: '届いたかどうかを配信先に確認できません',
    no_read_back_discord: '届いたかどうかを Discord の Webhook では確認できません',
    no_read_back_webhook: '届いたかどうかを Webhook では確認できません',
    no_text_to_judge: '判定できる本文がありません。',
    not_sent_yet: 'まだ送信していません',
    not_there: '配信先に見つかりません',
    page_without_feed: 'フィードへのリンクがないウェブページです',
    rate_limited: '配信先の送信数の制限に達しています',
    reading_too_long: '取得に時間がかかりすぎました',
    reply_lost: '応答が失われました',
    sent_again: 'メッセージを再送します',
    stopped_before_read_back: '確認の前に停止しました',
    stopped_before_sending: '送信の前に停止しました',
    summarised: '要約しました',
  },
  mentions: (mentions) =>
    `${mentions
      .map(
        ({ topic, times, inTitle }) => `「${topic}」に${inTitle ? '見出しと本文' : '本文'}で ${times} 回言及`,
      )
      .join('、')}。`,
  noMentions: 'どのトピックにも言及していません。',
  inPassing: 'トピックには少し触れるだけです。',
};

/** Beside the catalogues, because the first page needs none of it. */
export const DETAILS: Readonly<Record<Language, DetailWords>> = { en, ja };
