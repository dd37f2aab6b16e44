/**
 * How publishers name and title what stands around an article. The names are those of common content management systems and
 * of Japanese news sites; the phrases are in the languages that the readers of this project follow most.
 */

/** A word of a class name or an ID: `related` in `related-posts` and `post_related`, not in `correlated`. */
function named(words: readonly string[]): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${words.join('|')})(?:$|[\\s_-])`, 'i');
}

const ITEM = '(?:post|entry|article|blog|news|story)[_-]?';

/** Shares, dates, tags, credits: small, never a text. */
export const LABEL_NAMES = named([
  'shares?|sharing|sharedaddy|sharebar|sharethis|shariff|social|social-?media|sociable|sns|addthis|addtoany|a2a',
  'bookmarks?|hatena|clap|reactions?|likes?|teilen|partager|compartir|condividi|udostepnij',
  'breadcrumbs?|topicpath|pankuzu|pagination|pager|pagenavi|toolbar|tools|permalink|edit-?link|print|printer',
  'back-?to|to-?top|page-?top|skip-?link|read-?more|more-?link|like-?button|feedback|listen|audio-?player',
  'timestamp|datetime|dateline|bylines?|kicker|eyebrow|reading-?time|readtime|view-?count|ratings?',
  'tags|tag-?(?:list|links|cloud|box|area|group)|keywords|cat-?links|meta|metadata|postmetadata',
  `${ITEM}(?:meta|metadata|info|date|tags|tools|footer|utility|category|categories|author)`,
  'credits?|copyrights?|sr-only|screen-reader-text|visually-?hidden|skip-?(?:to|nav)|font-?size|text-?size',
  'schlagw(?:o|oe|ö)rte?r?|etiquetas|mots-?cles|tagi|autor(?:en)?|auteurs?|autore|verfasser|fotograf',
]);

/** Other articles: what has such a name holds links to them. */
export const OTHERS_NAMES = named([
  'related\\w*|relations?|kanren|recommend\\w*|osusume|outbrain\\w*|taboola\\w*|yarpp\\w*|jp-relatedposts|pickup',
  'trending|popular\\w*|rankings?|most-?(?:read|popular|viewed)|latest|teaser\\w*|backnumber|topics-?list',
  'more-?(?:stories|news|from|on|articles|posts)|also-?(?:like|read)|read-?(?:also|next)|next-?(?:article|post|up)',
  'verwandte\\w*|aehnliche\\w*|similar-?\\w*|relacionad\\w*|correlat\\w*|podobne|empfehl\\w*',
]);

/** Pictures and films, and what is said about them. */
export const MEDIA_NAMES = named([
  'video-?(?:player|transcript|playlist|info|widget)|transcript|playlist|carousel|slideshow|slider|galler(?:y|ies)',
]);

/** Newsletters, advertisements, biographies, navigation. */
export const BOX_NAMES = named([
  'prev-?next|post-?nav\\w*|nav|navi|navigation|menu|sidebar\\w*|side-?bar|widget-?area|site-?header|site-?footer|footer',
  'newsletters?|mailmagazine|subscribe|subscription|sign-?up|opt-?in|promo\\w*|cta|call-?to-?action|donate|donation',
  'advert\\w*|ads?|adsense|adsbygoogle|ad-?slot|ad-?unit|sponsor\\w*|pr-?box|app-?download|store-?links',
  'author-?(?:box|bio|info|card|profile|about)|about-?(?:the-?)?author|authorbox|bio|biography|profile|writer-?profile',
  'werbung|anzeigen?|reklama|publicid\\w*',
  'autor(?:en)?-?(?:box|info|profil|kasten)|(?:ueber|über)-?(?:den-?)?autor\\w*|abo-?(?:box|teaser|hinweis)|spenden\\w*',
  'log-?in|log-?in-?box|sign-?in|cookie\\w*|consent|gdpr|pop-?up|modal|overlay|lightbox|disclaimer|poll|quiz',
]);

export const COMMENT_NAMES = named([
  'comments?|commentlist|comment-?(?:list|section|area|thread|form|respond)|disqus\\w*|livefyre|respond|replies',
  'trackbacks?|pingbacks?|discussion|kommentare?|kommentar-?\\w+|commentaires?|comentarios?|commenti|komentarze|reacties',
]);

export const CAPTION_NAMES = named([
  'captions?|wp-caption-text|figcaption|(?:photo|image|img|picture|video|media)-?(?:credit|caption|desc\\w*|legend)',
  'legende|bildunterschrift|bildtext|bild-?(?:text|info|nachweis|quelle)|didascalia|pie-?de-?foto',
]);

/** What stands before a word turns it into something else: `has-sidebar`, `category-menu`, `elementor-widget-…`. */
export const QUALIFIER =
  /(?:^|[\s_-])(?:has|no|with|without|is|hide|show|single|elementor-widget|wp-block|type|format|category|tag|js)[_-]+$/i;

export const LOCK_NAMES = named([
  'paywall\\w*|subscribers?-only|premium-lock|metered-content|piano-offer|tp-container|regwall',
]);

/** Columns and bars beside the article. */
export const ASIDE_NAMES = named([
  'sidebar\\w*|side-?(?:bar|column|col|nav)|side|subcolumn|widget-?area|rail|right-?rail|masthead|login',
  'site-?header|global-?header|site-?footer',
]);

/** Lists of other articles. */
export const BESIDE_NAMES = named([
  'related\\w*|recommend\\w*|rankings?|popular\\w*|latest|trending|most-?(?:read|popular|viewed)|kanren|osusume',
]);

/** The element that holds the text of an article. */
export const TEXT_NAMES = named([
  '(?:articles?|post|entry|story|news|blog|kiji|topics|press|content|detail)[_-]*(?:body|text|txt|copy|contents?|main-?text|honbun|detail|bodytext|body-?text|entry)\\d*',
  'storytext|honbun|kiji|body-?copy|body-?text|main-?text|full-?text|single-?content|text-?body|field-name-body',
]);

/** What a click unfolds: parts of a text that are hidden until then. */
export const FOLDED_NAMES = named([
  'collaps\\w*|accordion\\w*|unfolded|spoiler\\w*|toggle[_-]?(?:content|body|inner|text)|(?:wiki-)?tab-?(?:pane|panel|content)?[\\d-]*|faq-?(?:answer|content|body)|tabbertab',
]);

/** The introduction of an article. */
export const STANDFIRST_NAMES = named([
  'standfirst|dek|deck|lead|lede|intro\\w*|vorspann|teaser-?(?:text)?|chap[oe]au?|abstract|summary|sub-?(?:title|head\\w*|line)|entradilla|sommario',
]);

export const MAIN_NAMES = named(['contents?|main|main-?contents?|page-?content|primary']);

const MARKS = '[\\s■□◆◇●○▼▲▶►◎★☆≪《【\\[<＜「・|｜>»\\-–—※]*';

function begins(phrases: readonly string[]): RegExp {
  return new RegExp(`^${MARKS}(?:${phrases.join('|')})`, 'iu');
}

/** How a list of other articles, or a box beside the article, is titled. */
export const RELATED_TITLE = begins([
  'related|recommended|(?:more|other) (?:on|from|about|stories|news|articles|posts|like|in|coverage|topics)\\b',
  'read (?:more|next|also|this next)\\b|see also|also (?:read|see|on|in)\\b|you (?:may|might|could)(?: also)? (?:like|enjoy|be interested)',
  "don['’]t miss|up next|what to read next|most (?:read|popular|viewed|shared)|popular (?:posts|articles|stories|now)",
  "trending|top stories|latest (?:news|stories|posts|articles|from)|recent (?:posts|articles|stories)|editors?['’]? picks?",
  'in this (?:section|series)|from around the web|sponsored|promoted|advertisement|about the (?:author|writer)',
  'share (?:this|on|via|article)|follow (?:us|me)\\b|sign up|subscribe|get the latest|.{0,50}\\bnewsletter\\b.{0,40}$',
  'tags\\b|filed under|topics\\b|categories\\b|(?:previous|next) (?:post|article)',
  '関連(?:記事|リンク|ニュース|する記事|情報|キーワード|ワード|タグ|トピックス|コンテンツ|商品|書籍)',
  '(?:あわ|合わ)せて読みたい|こちらも(?:おすすめ|読まれて)|おすすめ(?:の?記事|コンテンツ|情報|商品|$)|オススメ|よく読まれ',
  '人気(?:記事|の記事|ランキング)|アクセスランキング|(?:記事|週間|月間|デイリー)ランキング|最新(?:記事|ニュース|の記事)',
  '新着(?:記事|ニュース|情報)|注目(?:記事|の記事|ニュース)|ピックアップ|次に読みたい|(?:次|前)の記事',
  'この記事を(?:書いた人|シェア|共有|読んだ)|この著者|(?:著者|執筆者)プロフィール|プロフィール$',
  'シェア(?:する|$)|フォロー(?:する|$)|メルマガ|ニュースレター|カテゴリー?$|タグ[:：]?$|広告$|スポンサー',
  'ähnliche|verwandte|mehr zu(?:m|r)?\\b|mehr (?:aus|von|infos?|informationen|nachrichten)\\b|lesen sie (?:auch|mehr)|meistgelesen|weiterlesen',
  '(?:das|dies) könnte (?:sie|dich|euch|ihnen)|(?:auch|ebenfalls) interessant|sie könnten auch|kunden (?:kauften|haben) auch|neueste beiträge',
  '(?:weitere|aktuelle|passende) (?:artikel|beiträge|berichte|themen|informationen|infos|nachrichten|meldungen|links)|zum thema$',
  'weiterführende|nützliche links|links zum (?:thema|artikel|post)|links zu diesem|downloads?$|über (?:den autor|die autorin|mich|uns)$',
  '(?:presse)?kontakt$|ansprechpartner(?:in)?$|themen$|schlagw(?:o|ö)rter?$|jetzt abonnieren|teilen$|empfehlungen',
  '[àa] lire (?:aussi|également)|(?:lire|voir) (?:aussi|également)|sur le même (?:sujet|thème)|articles? (?:liés|similaires|connexes|récents)',
  'les plus lus|dans la même (?:rubrique|catégorie)|à propos de l.aut|mots[- ]clés|partager|abonnez-vous|inscrivez-vous|suivez-nous',
  '(?:noticias|artículos|entradas|contenidos?|temas) relacionad|te (?:puede|podría|recomendamos)|(?:le(?:a|e|er)|ve(?:a|r)) también',
  'más (?:leíd|noticias|información|sobre)|sobre el autor|comparte|compartir|suscríb|síguenos|etiquetas',
  'lei?a (?:também|mais)|veja (?:também|mais)|saiba mais|(?:notícias|artigos|matérias) relacionad|compartilh|assine|siga-nos',
  'legg(?:i|ete) anche|vedi anche|potrebbe(?:ro)? interessarti|articoli (?:correlati|recenti|simili)|condividi|iscriviti|seguici',
  'lees (?:ook|meer|verder)|bekijk ook|meer over|gerelateerd|deel (?:dit|via)|meld je aan|volg ons',
  '(?:prze)?czytaj (?:też|także|również|więcej|dalej)|zobacz (?:też|także|również|więcej)|polecamy|podobne|powiązane|udostępnij',
  'читайте (?:также|ещё|еще)|смотрите также|похожие|поделиться|подписывайтесь|теги',
  '相关(?:新闻|文章|阅读)|相關(?:新聞|文章)|延伸[阅閱][读讀]|推[荐薦]阅?|分享到|관련\\s?(?:기사|뉴스)|많이 본',
]);

/** Titles of links to other articles, or of a part of the text that has none. */
export const INFORMATION_TITLE = begins([
  '(?:weitere|weiterführende) info|(?:more|other|further) information|mehr info|topics\\b|themen$|zum thema$|más información',
]);

/** How the comments of readers are titled; the whole line. */
export const COMMENTS_TITLE = new RegExp(
  `^${MARKS}(?:${[
    '(?:\\d[\\d,.]* |no |view |show |all |reader |your |latest |recent )?comments(?: ?\\(?\\d[\\d,.]*\\)?| on .{1,120}| section| below| are closed)?',
    '\\d[\\d,.]* (?:comment|repl(?:y|ies)|responses?|thoughts?)(?: (?:to|on) .{1,120})?',
    '(?:visitor|reader|your) opinions(?: \\(.{1,40}\\))?|(?:leave|post|add|write|submit) (?:a|your) (?:comment|opinion|reply|response)|join the (?:conversation|discussion)|what do you think\\?',
    'コメント(?:を(?:書く|残す|する|投稿)|一覧|欄|[（(]?\\d*[)）]?件?)?|みんなのコメント|トラックバック.{0,6}',
    '(?:\\d+ |keine )?kommentare(?: schreiben| geschlossen| insgesamt| zu .{1,120}|:? ?\\(?\\d*\\)?)?|(?:\\d+|ihr|dein|neuer) kommentar|kommentar (?:schreiben|verfassen|hinzufügen|hinterlassen|abgeben)',
    '(?:schreibe?|hinterlasse|verfasse|schreiben sie|hinterlassen sie) (?:eine?n? |uns )?(?:kommentar|antwort)|eine antwort schreiben|leserkommentare',
    '(?:\\d+|eine|ein|zwei|drei) (?:antwort(?:en)?|gedanken?|reaktion(?:en)?|kommentare?) (?:zu|auf|on) .{1,120}|was denkst du\\?',
    '(?:\\d+ |vos |les )?commentaires?(?: ?\\(?\\d*\\)?)?|laisser un commentaire|réagir|(?:\\d+ )?comentarios|dej[ae] (?:un comentario|una respuesta)',
    '(?:\\d+ )?comentários|deixe (?:um comentário|uma resposta)|(?:\\d+ )?commenti|lascia (?:un commento|una risposta)',
    '\\d* ?reacties|geef een reactie|komentarze(?: ?\\(?\\d*\\)?)?|dodaj komentarz|комментарии(?: ?\\(?\\d*\\)?)?|оставить комментарий|[评評][论論]|댓글',
  ].join('|')})[\\s】:：]*$`,
  'iu',
);

/** How a line begins that is about the article, not of it: authors, dates, shares, credits, rights. */
export const LABEL_LINE = begins([
  'written by|posted (?:by|on|in|at)|published(?:\\s*(?:on|by|at|in|:|\\d)|$)|updated(?:\\s*(?:on|at|:|\\d)|$)',
  'last (?:updated|modified)|first published|filed under|tagged|(?:tags?|topics?|categor(?:y|ies)|labels?)\\s*:',
  '(?:share|tweet|print|email|facebook|twitter|pinterest|whatsapp|linkedin|loading)$|share (?:this|on|via)|advertisement',
  '(?:photo(?:graph)?|images?)(?:\\s*(?:by|credits?|courtesy|:)|s?$)|image source|(?:credit|source)\\s*:|getty|reuters/',
  'copyright|©|\\(c\\) ?(?:19|20)\\d\\d|all rights reserved|(?:estimated )?reading time',
  '\\d+\\s*(?:comments?|shares?|views?|likes?|min(?:ute)?s?(?: read)?)\\s*$',
  'click here to|sign up (?:for|to)|follow us|follow @|like us on|subscribe to our|join our|download (?:the|our) app',
  'back to (?:top|home|overview)|home\\s*[>»/›]|skip to|jump to',
  '投稿日|公開日|更新日|最終更新|掲載日|作成日|(?:公開|更新|配信日?|提供|著者|執筆者?|カテゴリー?|タグ)[:：]',
  '(?:文|撮影|写真|構成|聞き手|編集|取材)[=＝:：／/]|(?:文|取材)・',
  '(?:印刷|シェア|保存)(?:する)?$|ツイート$|ブックマーク|メールで送る|拡大画像|画像を?(?:拡大|クリック)',
  'この記事(?:を|の)(?:シェア|写真|画像)|無断(?:転載|複製)|(?:本サイト|当サイト|本記事)の(?:無断|記事・写真)|広告$|PR$',
  'トップ(?:ページ)?(?:へ|に)戻る|ページの?(?:先頭|トップ)|一覧(?:へ|に)?戻る|記事一覧|ホーム\\s*[>＞»]',
  'veröffentlicht|aktualisiert|stand:|(?:teilen|drucken|weiterempfehlen)$|(?:foto|bild|quellen?|themen|autor(?:in)?|redaktion|von):|schlagw|kategorie',
  'quellenangaben?|original(?:artikel|beitrag|publikation|text)|beitragsbild|(?:diesen? )?(?:artikel|beitrag|seite|geschichte) (?:teilen|bewerten|drucken|empfehlen)',
  'teilen? (?:sie |dies |mit|auf|via)|gefällt mir|(?:einem?|\\d+) blogger|dieser (?:eintrag|beitrag|artikel) (?:wurde|ist)|(?:ge(?:kennzeichnet|taggt)|verschlagwortet) mit',
  '(?:zurück )?zur? (?:übersicht|startseite)|zurück(?: zu[mr]? .{1,30})?$|nach oben|seite \\d+|diese website verwendet akismet|this site uses akismet',
  'publiée?|mis(?:e)? à jour|partag|crédits?\\b|(?:source|photos?|auteur)\\s?:|retour (?:à|en) |haut de page|classé dans|étiquet',
  'publicad[oa]|actualizad[oa]|compartir|comparte|etiquetas|(?:fuente|foto|autor|temas)\\s?:|archivado en|volver ',
  'pubblicat[oa]|aggiornat[oa]|condividi|(?:fonte|tag|autore)\\s?:|torna |atualizad[oa]|compartilh|geplaatst|bijgewerkt|bron\\s?:|deel dit',
  'opublikowan|aktualizacja|udostępnij|(?:źródło|tagi|autor|fot)[.:]|опубликовано|обновлено|поделиться|(?:источник|фото|автор|теги)\\s?:',
  '(?:来源|來源|编辑|編輯|责任编辑|責任編輯|作者|标签|標籤)\\s?[:：]|저작권|ⓒ|무단\\s?전재',
  'ads by|text size|font size|(?:follow|find) .{2,40} on (?:twitter|facebook|instagram|x|linkedin|google\\+)|original article on|in partnership with$',
]);

/** "By Ann Lee"; case matters. */
export const BYLINE =
  /^(?:By|BY|Von|Par|Por|Di|Door)[:\s]+\p{Lu}[\p{L}.’'-]+(?:[\s,&]+(?:and\s+)?[\p{L}.’'-]+){0,8}$/u;

export const BYLINE_START = /^(?:By|BY|Von|Par|Por|Di|Door)[:\s]+\p{Lu}/u;

/** A line that begins with a date, and has not much more. */
export const DATE_LINE = new RegExp(
  `^[\\s(（［\\[【]*(?:(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)\\p{L}*[,.]?\\s+)?(?:${[
    '\\d{1,2}(?:st|nd|rd|th)?\\.?\\s+\\p{L}{3,12}\\.?,?\\s+\\d{4}',
    '\\p{L}{3,12}\\.?\\s+\\d{1,2}(?:st|nd|rd|th)?,?\\s+\\d{4}',
    '\\d{1,2}[./-]\\d{1,2}[./-](?:19|20)?\\d{2}',
    '(?:19|20)\\d{2}[./-]\\d{1,2}[./-]\\d{1,2}',
    '(?:(?:19|20)\\d{2}|[１２][０-９]{3}|(?:令和|平成|昭和)[\\d０-９元]{1,2})年[\\s\\d０-９]{1,4}月[\\s\\d０-９]{1,4}日',
  ].join('|')}).{0,50}$`,
  'iu',
);

/** How a line begins that reserves the rights; it may be long. */
export const RIGHTS_LINE = begins([
  '(?:sofern|soweit|wenn) (?:hier )?nicht anders (?:ausgewiesen|angegeben|vermerkt)|sauf (?:mention|indication) contraire',
  '(?:except|unless) (?:where )?otherwise (?:noted|stated|indicated)',
  'copyright\\b|©|ⓒ|\\(c\\) ?(?:19|20)\\d\\d|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos',
  'tutti i diritti|todos os direitos|wszelkie prawa|все права|this material may not be|無断(?:転載|複製)|本(?:サイト|記事)の(?:無断|記事)|저작권자',
]);

/** How a line below the text ends that asks for something: "Do you want to hear from us? Sign up here". */
export const INVITATION_END =
  /\b(?:sign up|subscribe|register|join us|donate|click|download it)\s+(?:here|now|today)[\s.!›»>]*$/i;

/** A line that stands within the text and is none of it, wherever it is. */
export const INTERRUPTION = begins([
  '(?:advertisement|ad|sponsored content|scroll (?:down|for more))[\\s.:]*$|(?:story|article|text) continues (?:below|after)',
  'continue reading (?:the main story|below)|read more about this (?:topic|story)|like us on (?:facebook|twitter)|follow us on',
  'like this topic\\?|(?:click|tap) (?:here|to) (?:for|to) (?:more|read|see|subscribe|sign|enlarge)|(?:enlarge|view) (?:this )?(?:image|photo|full size)',
  '(?:sign up|subscribe) (?:for|to) (?:our|the) .{0,40}(?:newsletter|email|updates)|get .{2,50}\\bnewsletter[\\s.!]*$',
  'this (?:article|story|post|piece|column) (?:was )?(?:originally|first) (?:appeared|published|posted|ran) (?:on|in|at|by) .{2,60}$',
  '(?:anzeige|werbung|publicité|publicidad|pubblicità|publicidade|advertentie|reklama|реклама|广告|廣告|광고|広告|スポンサー(?:ド)?リンク)[\\s:：]*$',
  'weiterlesen nach der anzeige|(?:dieser )?artikel wird (?:nach|unter)|la suite après|continúa después|続きを(?:読む|見る)$|この記事の画像を',
]);

const PICTURE =
  '(?:photo(?:graph)?|foto(?:graf(?:ie)?)?|images?|bild(?:quelle|nachweis)?|picture|credits?|crédits?(?: photo)?|grafik|illustration|fot\\.|фото|사진|图片?|圖片?)';

/** A line that names who made a picture. */
export const CREDIT_LINE = new RegExp(
  `^[\\s(（\\[]*(?:${PICTURE}s?(?:\\s+(?:credits?|sources?|by|courtesy(?: of)?))?\\s*[:：/©]\\s*|©\\s*)[^.。!?！？]{2,80}\\.?[)）\\]]?$|^[（(【]?(?:写真|撮影|画像|写真提供|画像提供)[=＝:：／/][^。]{1,40}[)）】]?$`,
  'iu',
);

/** How a caption ends: with who made the picture. */
export const CREDIT_END = new RegExp(
  `(?:${[
    '\\((?:[^()]{0,30}[\\s/,])?(?:photo|foto|fot|bild|image|images|picture|getty|courtesy|handout|shutterstock|istock|file photo)\\b[^()]{0,60}\\)',
    `\\b${PICTURE}s?(?:\\s+(?:credits?|by|courtesy(?: of)?))?\\s*[:：]\\s*[^.:。!?！？]{2,60}`,
    '[（(＝=【](?:[^（）()。]{0,20}(?:写真|撮影)|[^（）()。]{1,16}提供)[^（）()。]{0,16}[)）】]?',
    '(?:写真|撮影|画像提供|写真提供)[=＝:：／/][^。]{1,30}',
    '\\|\\s*(?:getty(?: images)?|ap(?: photo| images)?|reuters|afp|bloomberg|shutterstock|istock|corbis|epa)',
  ].join('|')})\\.?$`,
  'iu',
);

/** "(Ann Lee / Harbour Gazette)" at the end; case matters. */
export const NAMED_CREDIT = /\(\p{Lu}[\p{L}.’'-]+ \p{Lu}[^()/]{1,40}\s?\/\s?\p{Lu}[^()]{1,50}\)\.?$/u;
