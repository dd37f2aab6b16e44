import type { ArticleProblemTexts, DetailWords } from './details-en.ts';

export const articleProblemsJa: ArticleProblemTexts = {
  not_found: 'ページは存在しません。',
  paywall: '本文は購読者だけに公開されています。',
  timeout: 'サイトが時間内に応答しませんでした。',
  not_html: 'このページは記事ではありません。',
  no_text: 'ページに本文が見つかりませんでした。',
  too_large: 'ページがサイズの上限を超えています。',
  blocked_address: 'ページのアドレスはブロックされています。',
  server_error: 'サイトがエラーを返しました。',
  unreachable: 'サイトに接続できません。',
};

export const detailsJa: DetailWords = {
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
