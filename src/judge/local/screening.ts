import type { ArticleText, Document, Screening } from '../judge.ts';
import { countCharacters, firstCharacters, sentencesOf } from '../text-length.ts';
import { sanitiseModelText } from '../untrusted-text.ts';
import type { Language } from './text.ts';
import { languageOf } from './text.ts';

/** Phrases that announce materials for later. */
const ANNOUNCED =
  /後日[、,]?(?:掲載|公表|公開|お知らせ|アップロード|更新|発表|配布|配信)|追って[、,]?(?:掲載|公表|公開|お知らせ|連絡|発表|ご案内)|(?:掲載|公開|公表|配布|配信)(?:する|を)?予定(?:です|である|。|$)|準備(?:中|が(?:でき|整い)次第)|(?:でき|整い|まとまり|決まり|確定し?|確認でき|完了し?|終了し?)次第|近日(?:中に)?(?:公開|掲載|公表)|作成中|調整中|しばらくお待ち|お待ちください|will be (?:published|posted|released|uploaded|made available|announced|added|available|provided)|to be (?:announced|published|posted|confirmed|determined)|coming soon|(?:not|n't) (?:yet )?(?:available|been published|been posted|ready) ?(?:yet)?|available (?:shortly|soon|later)|check back|under (?:preparation|construction)|\btb[ac]\b|in preparation|once (?:it is|they are|the) (?:ready|final|approved|available)/i;

/** What such an announcement is about. */
const MATERIALS =
  /資料|議事(?:録|次第|要旨|概要)|配布|配付|報告書|結果|概要|詳細|内容|本文|動画|録画|スライド|要綱|要領|様式|日程|ページ|プログラム|material|minutes|slide|document|report|result|detail|agenda|transcript|recording|video|text|summary|page|program|schedule|paper|data/i;

/** Boilerplate lines of every page. */
const BOILERPLATE =
  /^(?:ホーム|トップ(?:ページ)?|サイトマップ|お問い?合わせ(?:先)?.*|本文へ.*|ページの?(?:先頭|トップ)へ.*|戻る|印刷.*|文字サイズ.*|プライバシー.*|利用規約.*|リンク集|関連(?:情報|リンク).*|english|メニュー.*|検索.*|現在位置.*|シェア.*|ツイート|フォロー.*|前へ.*|次へ.*|一覧(?:へ|を見る).*|ログイン|会員登録.*|home|menu|search|site ?map|contact(?: us)?|privacy(?: policy)?|terms(?: of (?:use|service))?|skip to .*|back to top|share.*|follow us.*|subscribe.*|sign (?:in|up).*|log ?in|cookie.*|accept(?: all)?.*|related (?:links|articles).*|next|previous|read more|print.*|all rights reserved.*)$|copyright|©|javascript|adobe\s*(?:acrobat\s*)?reader|we use cookies|クッキーを使用|法人番号|〒\d{3}/i;

/** Phrases of pages without news value. */
const NOTICE =
  /(?:システム|サーバー|定期|緊急)の?メンテナンス|メンテナンスの(?:お知らせ|実施)|サイト(?:の)?リニューアル|URLの?変更|(?:電話|FAX)番号の?変更|入札公告|入札の公告|公募型?プロポーザルの(?:実施|公示)|一般競争入札に付|人事異動|採用(?:情報|試験の?案内)|非常勤(?:職員|職)の?募集|職員(?:を|の)?募集|アルバイト募集|名義後援|記者会見の?開催案内|ページ(?:は|が)見つかりません|page not found|page (?:you are looking for|has moved)|scheduled maintenance|maintenance (?:window|notice)|^we(?:'re| are) hiring|job (?:opening|vacanc)|call for tenders?|invitation to (?:bid|tender)|request for (?:proposals|quotations)|(?:office|holiday) closure|^staff (?:changes|appointments)|please enable javascript/i;

/** The same in phrases that also occur in real articles: they count only where there is little other text. */
const HOUSEKEEPING =
  /メンテナンス|(?:サービス|システム)の?(?:一時)?停止|閲覧できな|アクセスしにく|休業|開庁時間|受付時間|年末年始|落札|随意契約|採用|募集|移動しました|見つかりません|404|not found|maintenance|vacancy|hiring|office hours|opening hours|holiday hours|lost and found|newsletter|please (?:log|sign) in/i;

export interface Signals {
  readonly language: Language;
  /** Sentences with content, without boilerplate, announcements and contact lines. */
  readonly substance: number;
  readonly characters: number;
  readonly announced: string | null;
  readonly notice: string | null;
  readonly documents: number;
}

/** Enough to be summarised. */
const ENOUGH_CHARACTERS = { ja: 90, en: 240 };
const ENOUGH_SENTENCES = 2;
/** With so many sentences a page is complete even if it promises more. */
const COMPLETE_SENTENCES = 4;
/** Maximum length of a notice. */
const NOTICE_SENTENCES = 6;

/** Whether a page has something to summarise, and whether it is complete (B16). */
export function screenPage(page: ArticleText, documents: readonly Document[]): Screening {
  const signals = signalsOf(page, documents);
  const ja = signals.language === 'ja';
  if (
    signals.documents > 0 &&
    !(signals.announced !== null && signals.substance === 0 && signals.documents === 0)
  ) {
    if (signals.notice !== null && signals.substance < ENOUGH_SENTENCES)
      return notValuable(signals.notice, ja);
    return {
      decision: 'worth_it',
      reason: ja ? '添付資料に本文がある。' : 'Attached documents carry the content.',
    };
  }
  const enough =
    signals.characters >= ENOUGH_CHARACTERS[signals.language] && signals.substance >= ENOUGH_SENTENCES;
  if (signals.announced !== null && !(enough && signals.substance >= COMPLETE_SENTENCES)) {
    const phrase = signals.announced;
    return {
      decision: 'not_ready',
      reason: ja
        ? `資料の掲載が予告されている：「${phrase}」`
        : `Materials are announced for later: “${phrase}”`,
    };
  }
  if (signals.notice !== null) return notValuable(signals.notice, ja);
  if (!enough) {
    return {
      decision: 'not_valuable',
      reason: ja ? '要約できるだけの本文も資料もない。' : 'Neither text nor documents to summarise.',
    };
  }
  return {
    decision: 'worth_it',
    reason: ja ? `本文が${signals.substance}文ある。` : `${signals.substance} sentences of content.`,
  };
}

function notValuable(phrase: string, ja: boolean): Screening {
  return {
    decision: 'not_valuable',
    reason: ja ? `事務的なお知らせである：「${phrase}」` : `A housekeeping notice: “${phrase}”`,
  };
}

export function signalsOf(page: ArticleText, documents: readonly Document[]): Signals {
  const language = languageOf(`${page.title}\n${page.text}`, page.language);
  let substance = 0;
  let characters = 0;
  let announced: string | null = null;
  for (const sentence of sentencesOf(page.text)) {
    if (BOILERPLATE.test(sentence)) continue;
    const promise = ANNOUNCED.exec(sentence);
    if (promise && MATERIALS.test(sentence)) {
      announced ??= firstCharacters(sanitiseModelText(sentence), 60);
      continue;
    }
    const length = countCharacters(sentence);
    if (length < (language === 'ja' ? 10 : 30) || !/[。.!?！？」)）"”]$/.test(sentence)) continue;
    substance++;
    characters += length;
  }
  const text = `${page.title}\n${page.text}`;
  const notice =
    NOTICE.exec(page.title)?.[0] ??
    (substance < NOTICE_SENTENCES ? NOTICE.exec(text)?.[0] : undefined) ??
    (substance < NOTICE_SENTENCES - 1 ? HOUSEKEEPING.exec(page.title)?.[0] : undefined) ??
    (substance < COMPLETE_SENTENCES ? HOUSEKEEPING.exec(text)?.[0] : undefined) ??
    null;
  return {
    language,
    substance,
    characters,
    announced,
    notice,
    documents: documents.filter(hasContent).length,
  };
}

function hasContent(document: Document): boolean {
  if (document.text !== undefined) return countCharacters(document.text.trim()) >= 80;
  return (document.bytes?.byteLength ?? 0) > 0;
}
