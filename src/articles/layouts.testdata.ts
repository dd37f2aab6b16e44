// Pages as common systems lay them out, around articles that were written for this project. Each has the text that is the
// article, and no more.

interface Story {
  readonly language: 'en' | 'ja';
  readonly title: string;
  readonly author: string;
  /** As it is shown. */
  readonly date: string;
  readonly paragraphs: readonly string[];
  readonly heading: string;
  readonly points: readonly string[];
  readonly words: Words;
}

/** What stands around an article. */
interface Words {
  readonly site: string;
  readonly by: string;
  readonly menu: readonly string[];
  readonly related: string;
  readonly others: readonly string[];
  readonly blurbs: readonly string[];
  readonly comments: string;
  readonly remarks: readonly string[];
  readonly newsletter: string;
  readonly cookies: string;
  readonly share: string;
  readonly rights: string;
  readonly biography: string;
  readonly caption: string;
  readonly login: string;
}

const ENGLISH: Words = {
  site: 'Harbour Gazette',
  by: 'By Ann Lee',
  menu: ['Home', 'Local', 'Business', 'Sport', 'Culture', 'Weather', 'Opinion', 'Jobs'],
  related: 'Related articles',
  others: [
    'Council votes on new tram line after long debate',
    'Winter market opens with fewer stalls than last year',
    'Old lighthouse to become a museum of navigation',
    'School kitchen wins prize for its soup',
    'Bridge closed for repairs until the end of March',
  ],
  blurbs: [
    'Members spoke until midnight. The line would connect the station and the port by 2030.',
    'Traders blame the rent. The organisers say that visitors will not notice the difference.',
    'The tower has been dark since 1998. Volunteers have raised the money for its roof.',
    'Pupils chose the recipes themselves. The jury praised the pumpkin soup above all.',
    'Drivers must take the ring road. Buses are allowed to cross in the early morning.',
  ],
  comments: '4 Comments',
  remarks: [
    'About time! I have waited for this since I moved here, and so have all of my neighbours.',
    'And who is going to pay for it? Nobody ever asks the people who live in the upper town.',
    'I agree with the first comment. The old timetable was made for people who do not work.',
    'My grandfather used to tell me about the night ferries. It is good to see them back again.',
  ],
  newsletter: 'Sign up for our newsletter. Get the best stories of the week in your inbox every Friday.',
  cookies: 'We use cookies to improve your experience. By using this site you agree to our privacy policy.',
  share: 'Share this',
  rights: '© 2026 Harbour Gazette. All rights reserved.',
  biography: 'Ann Lee has written about the city since 2011. She lives near the port with two cats.',
  caption: 'A ferry leaves the port in the morning. Photo: Harbour Gazette',
  login: 'Already a subscriber? Sign in to read members-only content.',
};

const JAPANESE: Words = {
  site: '日刊かわら新聞',
  by: '文＝河原花子',
  menu: ['トップ', '政治', '経済', 'スポーツ', '文化', 'くらし', '天気', '社説'],
  related: '関連記事',
  others: [
    '路面電車の延伸案、市議会で可決',
    '冬の市、出店は昨年より減少',
    '旧灯台を航海の博物館に改装へ',
    '学校給食のスープが全国大会で入賞',
    '中央大橋、三月末まで通行止め',
  ],
  blurbs: [
    '審議は深夜に及んだ。駅と港を結ぶ路線は二〇三〇年の開業を目指す。',
    '出店者は賃料の値上げを理由に挙げる。主催者は影響はないと話している。',
    '一九九八年から明かりが消えていた。屋根の修理費は寄付でまかなう。',
    '献立は児童が自分たちで考えた。審査員はかぼちゃのスープを高く評価した。',
    '車は環状道路へ迂回する必要がある。早朝のバスは通行が認められる。',
  ],
  comments: 'コメント（4件）',
  remarks: [
    'ずっと待っていました。近所の人たちもみんな喜んでいます。',
    '費用は誰が負担するのでしょうか。上町の住民の意見も聞いてほしいです。',
    '最初の方に賛成です。以前の時刻表は働く人のことを考えていませんでした。',
    '祖父から夜の船の話をよく聞きました。また見られるのはうれしいです。',
  ],
  newsletter: 'ニュースレターに登録しませんか。毎週金曜日に今週の記事をまとめてお届けします。',
  cookies: '当サイトではクッキーを使用しています。閲覧を続けると利用に同意したものとみなします。',
  share: 'シェアする',
  rights: '© 2026 日刊かわら新聞社 無断転載を禁じます',
  biography: '河原花子　二〇一一年から市政を担当。港の近くで猫二匹と暮らす。',
  caption: '朝の港を出る連絡船＝日刊かわら新聞撮影',
  login: 'この記事は会員限定です。会員の方はログインしてください。',
};

const FERRY: Story = {
  language: 'en',
  title: 'Ferries will run at night again from April',
  author: 'Ann Lee',
  date: 'November 18, 2026',
  paragraphs: [
    'The port authority will bring back the night ferries in April, ten years after the last one left the eastern pier. The first boats will sail at eleven in the evening and at two in the morning, every day except Sunday.',
    'The authority said on Wednesday that the service had become possible because of two smaller boats with electric engines, which need a crew of only three. “We could not have paid for this with the old fleet,” its director, Paul Winter, told reporters.',
    'Nurses, cooks and students had asked for the service for years. A petition last spring was signed by more than nine thousand people, about a fifth of those who live on the islands.',
    'Not everybody is happy. Residents of the old town fear the noise, and the owners of water taxis expect to lose a third of their income. The city has promised them a meeting before the end of the year.',
    'Tickets will cost as much as during the day, and monthly passes will be valid. The authority plans to decide in autumn whether the boats stay.',
  ],
  heading: 'What travellers should know',
  points: [
    'The boats leave from the eastern pier only',
    'Bicycles travel free of charge',
    'Dogs need a ticket for children',
  ],
  words: ENGLISH,
};

const NOTICE: Story = {
  ...FERRY,
  title: 'Library closed on Monday',
  paragraphs: [
    'The central library stays closed on Monday because of work on its heating. Books that are due on that day can be returned on Tuesday without a fee.',
    'The branch in the upper town is open as usual, the city said.',
  ],
  points: [],
};

const PORT: Story = {
  language: 'ja',
  title: '夜間の連絡船、十年ぶりに四月から再開',
  author: '河原花子',
  date: '2026年11月18日',
  paragraphs: [
    '港湾局は十八日、夜間の連絡船を来年四月に再開すると発表した。東桟橋を出る最終便が廃止されてから十年ぶりとなる。日曜日を除く毎日、午後十一時と午前二時に運航する。',
    '港湾局によると、三人で運航できる小型の電動船二隻を導入したことで再開が可能になった。冬木局長は記者会見で「以前の船では費用をまかなえなかった」と説明した。',
    '看護師や調理師、学生らが長年にわたり再開を求めていた。',
    '今年春の署名には九千人を超える人が賛同した。島の住民のおよそ五分の一にあたる。',
    '一方で反対の声もある。旧市街の住民は騒音を心配し、水上タクシーの事業者は収入が三割ほど減ると見込む。市は年内に説明会を開くとしている。',
    '運賃は昼間と同じで、定期券も使える。',
    '港湾局は秋までの利用状況を見て、運航を続けるかどうかを決める。',
  ],
  heading: '利用者への案内',
  points: ['乗り場は東桟橋のみ', '自転車は無料で持ち込める', '犬は小児運賃が必要'],
  words: JAPANESE,
};

const CLOSED: Story = {
  ...PORT,
  title: '中央図書館、月曜日は休館',
  paragraphs: [
    '中央図書館は月曜日、暖房設備の工事のため休館する。この日が返却期限の本は、火曜日に延滞金なしで返却できる。',
    '上町の分館は通常どおり開館する。',
  ],
  points: [],
};

const items = (texts: readonly string[], tag = 'li'): string =>
  texts.map((text) => `<${tag}>${text}</${tag}>`).join('');
const links = (texts: readonly string[]): string =>
  texts.map((text, index) => `<li><a href="/news/${index + 100}.html">${text}</a></li>`).join('');
const paragraphs = (texts: readonly string[]): string => items(texts, 'p');
const teasers = ({ others, blurbs }: Words): string =>
  others
    .map(
      (title, index) =>
        `<div class="card"><h4><a href="/news/${index}.html">${title}</a></h4><p>${blurbs[index]}</p></div>`,
    )
    .join('');
const list = ({ heading, points }: Story, level = 'h2'): string =>
  points.length === 0 ? '' : `<${level}>${heading}</${level}><ul>${items(points)}</ul>`;
const head = ({ title, words }: Story, more = ''): string =>
  `<head><meta charset="utf-8"><title>${title} | ${words.site}</title>${more}</head>`;
const page = (story: Story, body: string, more = ''): string =>
  `<!doctype html><html lang="${story.language}">${head(story, more)}<body>${body}</body></html>`;
const menu = ({ menu: names }: Words): string => `<ul class="gnav">${links(names)}</ul>`;
const half = (texts: readonly string[]): number => Math.ceil(texts.length / 2);

type Layout = (story: Story) => string;

/** Layouts by name; the name says what is difficult about it. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  'article element with header, figure, related list and comments': (story) => {
    const { words } = story;
    return page(
      story,
      `<header><nav>${menu(words)}</nav></header><main><article><header><h1>${story.title}</h1><p class="byline">${words.by}</p><time datetime="2026-11-18">${story.date}</time></header>
<figure><img src="/a.jpg" alt=""><figcaption>${words.caption}</figcaption></figure>${paragraphs(story.paragraphs)}${list(story)}
<div class="share-buttons"><span>${words.share}</span></div></article><section class="related"><h2>${words.related}</h2><ul>${links(words.others)}</ul></section>
<section id="comments"><h2>${words.comments}</h2>${words.remarks.map((text) => `<div class="comment-body"><p>${text}</p></div>`).join('')}</section></main><footer>${words.rights}</footer>`,
    );
  },
  'blog system with widgets and a biography': (story) => {
    const { words } = story;
    return page(
      story,
      `<div id="page" class="hfeed site has-sidebar"><div id="primary"><div class="post-12 post type-post hentry tag-port"><h1 class="entry-title">${story.title}</h1><div class="entry-meta">${story.date}</div>
<div class="entry-content">${paragraphs(story.paragraphs)}${list(story, 'h3')}<div class="sharedaddy"><h3>${words.share}:</h3><ul><li><a href="#">Facebook</a></li><li><a href="#">Twitter</a></li></ul></div><div class="jp-relatedposts"><h3>${words.related}</h3><ul>${links(words.others)}</ul></div></div>
<div class="author-box"><p>${words.biography}</p></div></div><div id="respond"><h3>${words.comments}</h3><ol class="commentlist">${words.remarks.map((text) => `<li class="comment"><p>${text}</p></li>`).join('')}</ol></div></div>
<div id="secondary" class="widget-area"><div class="widget">${words.newsletter}</div><div class="widget"><ul>${links(words.others)}</ul></div></div></div>`,
    );
  },
  'divisions without names, text in divisions': (story) => {
    const { words } = story;
    return page(
      story,
      `<div><div>${menu(words)}</div><div><div><h1>${story.title}</h1></div><div>${story.paragraphs.map((text) => `<div>${text}</div>`).join('')}${list(story, 'h3')}</div></div><div><ul>${links(words.others)}</ul></div><div>${words.rights}</div></div>`,
    );
  },
  'line breaks in a table': (story) => {
    const { words } = story;
    return page(
      story,
      `<table width="800"><tr><td colspan="2">${words.menu.map((name) => `<a href="/${name}">${name}</a>`).join(' | ')}</td></tr><tr><td width="160"><ul>${links(words.others)}</ul></td><td><b>${story.title}</b><br><br>${story.paragraphs.join('<br><br>')}<br>${story.points.length > 0 ? `<br><b>${story.heading}</b><br>${story.points.map((text) => `・${text}<br>`).join('')}` : ''}</td></tr><tr><td colspan="2">${words.rights}</td></tr></table>`,
    );
  },
  'teasers with text beside and below': (story) => {
    const { words } = story;
    return page(
      story,
      `<div class="header">${menu(words)}</div><div class="wrap"><div class="column-main"><h1>${story.title}</h1><div class="article-body">${paragraphs(story.paragraphs)}${list(story)}</div><div class="bottom">${teasers(words)}</div></div><div class="column-sub">${teasers(words)}</div></div>`,
    );
  },
  'article in parts with advertisements between': (story) => {
    const { words, paragraphs: texts } = story;
    const parts = [texts.slice(0, half(texts)), texts.slice(half(texts))];
    return page(
      story,
      `<nav>${menu(words)}</nav><div id="main"><h1>${story.title}</h1>${parts.map((part) => `<div class="article_text">${paragraphs(part)}</div><div class="ad-slot"><p>${words.newsletter}</p></div>`).join('')}<div class="article_text">${list(story, 'h3')}</div></div><div id="ranking"><ol>${links(words.others)}</ol></div>`,
    );
  },
  'links to other articles between paragraphs': (story) => {
    const { words } = story;
    const [first = '', ...rest] = story.paragraphs;
    return page(
      story,
      `<nav>${menu(words)}</nav><article><h1>${story.title}</h1><p>${words.by}</p><p>${story.date}</p><p>${first}</p><p>${words.related}: <a href="/1">${words.others[0]}</a></p>${rest.map((text, index) => `<p>${text}</p>${index === 1 ? `<aside class="inline-promo"><p>${words.newsletter}</p></aside>` : ''}`).join('')}${list(story)}<h3>${words.related}</h3><p><a href="/2">${words.others[1]}</a></p><p><a href="/3">${words.others[2]}</a></p></article>`,
    );
  },
  'cookie notice and a long menu': (story) => {
    const { words } = story;
    return page(
      story,
      `<div class="cookie-banner" role="dialog"><p>${words.cookies}</p><p>${words.cookies}</p></div><div class="mega-menu">${menu(words).repeat(4)}</div><div class="content"><h1>${story.title}</h1>${paragraphs(story.paragraphs)}${list(story)}</div><div class="newsletter"><p>${words.newsletter}</p></div>`,
    );
  },
  'messages of the server before the page': (story) => {
    const { words } = story;
    return `<style>.x{color:red}</style><br />\n<b>Warning</b>:  mysql_connect(): Access denied in <b>/var/www/db.php</b> on line <b>12</b><br />\n${page(story, `<nav>${menu(words)}</nav><div class="post"><h1>${story.title}</h1><div class="post-content">${paragraphs(story.paragraphs)}${list(story)}</div></div>`)}`;
  },
  'a page that ends too early': (story) => {
    const { words } = story;
    return page(
      story,
      `<div class="header">${menu(words)}</div></body></html><div class="detail"><h1>${story.title}</h1><div class="detail_body">${paragraphs(story.paragraphs)}${list(story)}</div></div>`,
    );
  },
  'text only in the linked data': (story) => {
    const { words } = story;
    return page(
      story,
      `<nav>${menu(words)}</nav><div id="app"><p>${words.cookies}</p><p>${words.newsletter}</p></div><footer>${words.rights}</footer>`,
      `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', headline: story.title, articleBody: [...story.paragraphs, ...(story.points.length > 0 ? [story.heading, ...story.points] : [])].join('\n\n') })}</script>`,
    );
  },
  'everything in a form, with a login box': (story) => {
    const { words } = story;
    return page(
      story,
      `<form id="aspnetForm"><div class="top">${menu(words)}</div><div id="login-box"><p>${words.login}</p></div><div id="ContentPlaceHolder1_body"><h1>${story.title}</h1>${paragraphs(story.paragraphs)}${list(story)}</div><div class="side"><p>${words.login}</p><ul>${links(words.others)}</ul></div></form>`,
    );
  },
  'more comments than article': (story) => {
    const { words } = story;
    return page(
      story,
      `<div class="header">${menu(words)}</div><div id="content"><div class="story"><h1>${story.title}</h1><div class="story-body">${paragraphs(story.paragraphs)}${list(story)}</div></div><div class="comments-area"><h2>${words.comments}</h2>${[1, 2, 3].map(() => words.remarks.map((text) => `<div class="comment"><b>Reader</b><p>${text}</p></div>`).join('')).join('')}</div></div>`,
    );
  },
};

export interface LaidOut {
  readonly name: string;
  readonly language: 'en' | 'ja';
  readonly html: string;
  readonly title: string;
  /** The article, and no more. */
  readonly text: string;
}

/** Each layout with a long and a short article, in English and Japanese. */
export const laidOut: readonly LaidOut[] = Object.entries(LAYOUTS).flatMap(([layout, write]) =>
  [FERRY, PORT, NOTICE, CLOSED].map((story) => ({
    name: `${layout}, ${story.paragraphs.length > 2 ? 'long' : 'short'}, ${story.language}`,
    language: story.language,
    html: write(story),
    title: story.title,
    text: [...story.paragraphs, ...(story.points.length > 0 ? [story.heading, ...story.points] : [])].join(
      '\n\n',
    ),
  })),
);
