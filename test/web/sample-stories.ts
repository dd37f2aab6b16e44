/** Stories of our own, for pictures and tests. */
export interface Story {
  readonly title: string;
  readonly summary: string;
  readonly url: string;
  readonly source: string;
  readonly sourceId: string;
  readonly topics: readonly string[];
}

function story(
  title: string,
  summary: string,
  source: 'tokyo' | 'harbour',
  topics: readonly string[],
  slug: string,
): Story {
  const name = source === 'tokyo' ? '東京技術新聞' : 'Harbour Gazette';
  return { title, summary, url: `https://${source}.example/${slug}`, source: name, sourceId: source, topics };
}

export const STORIES: readonly Story[] = [
  story(
    'A lighthouse keeper’s logbook trains the ferry’s new night pilot',
    'Ninety years of handwritten tide notes were read by machine in one weekend. The ferry now leaves eleven minutes earlier in fog, and nobody on the quay has missed it yet.',
    'harbour',
    ['machine learning', 'shipping'],
    'lighthouse',
  ),
  story(
    '量子誤り訂正の新方式、室温に近い装置で実証 国内三大学の共同研究',
    '符号の大きさを従来の半分に抑えながら、論理誤り率を一桁下げた。装置は机の上に置ける大きさで、来春には公開実験を始めるという。',
    'tokyo',
    ['量子計算'],
    'quantum',
  ),
  story(
    'The town that answers every letter',
    'A clerk, a rubber stamp and a small database: how one post office brought its backlog from four months to two days without hiring anybody.',
    'harbour',
    ['public services'],
    'letters',
  ),
  story(
    'ブラウザーの文字組みが静かに賢くなった 文節で折り返す仕組みを読み解く',
    '長い見出しが単語の途中で切れる問題に、各ブラウザーが答えを出し始めた。設定は一行、効果は大きい。実例とともに動作の違いをまとめた。',
    'tokyo',
    ['ウェブ', '組版'],
    'phrase',
  ),
  story(
    'Why the slow database won',
    'Two teams, one ledger, five years. The fast store lost three receipts; the slow one lost none. A look at what durability cost and what it bought.',
    'harbour',
    ['databases'],
    'slow-db',
  ),
  story(
    '瓦版を刷る人々 江戸の速報はどう作られたか',
    '火事の翌朝にはもう売られていたという一枚刷り。版木の貸し借り、彫りの分業、売り声の作法を、残された版木から復元する。',
    'tokyo',
    ['歴史', '報道'],
    'kawaraban',
  ),
  story(
    'Compilers that explain themselves',
    'A new error format shows what the compiler believed, line by line. Students fixed their mistakes twice as fast; experts asked for a switch to turn it off.',
    'harbour',
    ['compilers'],
    'compilers',
  ),
  story(
    '小さな発電所をつなぐ 山村の水車が町の冷蔵庫を支えるまで',
    '出力は一台あたり二百ワット。それでも三十台を協調させると、夏の午後の需要の谷が埋まる。制御の仕組みを設計者に聞いた。',
    'tokyo',
    ['エネルギー'],
    'waterwheel',
  ),
];

export const HOSTILE_STORIES: readonly Story[] = [
  story(
    '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">',
    '<b>not bold</b> &amp; <a href="javascript:alert(1)">not a link</a>',
    'harbour',
    ['<i>topic</i>'],
    'script',
  ),
  story(`x${'あ'.repeat(4999)}${'W'.repeat(5000)}`, 'y'.repeat(10_000), 'harbour', ['z'.repeat(300)], 'long'),
  story(
    '\u202Egnp.exe.tfard\u202C right to left \u2067עברית\u2069 \u200F! and a mark that is never closed \u202E then text',
    'مرحبا بالعالم 123 — mixed with English and numbers 456.',
    'harbour',
    ['rtl'],
    'rtl',
  ),
  story(
    `Z̸̢̛a̶͎̕l̵̡̛g̴̝̈́ơ̷͓ ${'a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307'.repeat(40)}`,
    'marks upon marks',
    'harbour',
    ['marks'],
    'zalgo',
  ),
];
