import type { Encoding } from '../feeds/encode.ts';
import type { FeedFormat } from '../feeds/format.ts';
import type { IconKind } from '../pages/icon.ts';
import type { Language, TopicId } from '../texts/topic.ts';

/** A publisher of the simulated world: one feed, and the pages behind its items. */
export interface Outlet {
  /** In addresses. */
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly language: Language;
  readonly format: FeedFormat;
  readonly encoding: Encoding;
  readonly topics: readonly TopicId[];
  readonly icon: IconKind;
  /** A ministry: announcements with documents, some for later, some of no value. */
  readonly ministry?: boolean;
  /** Sometimes carries what this other outlet carries. */
  readonly echoes?: string;
}

export const OUTLETS: readonly Outlet[] = [
  {
    id: 'byte-herald',
    name: 'The Byte Herald',
    about: 'Software, chips and the people who make them',
    language: 'en',
    format: 'rss2',
    encoding: 'utf-8',
    icon: 'feed',
    topics: ['databases', 'typescript', 'ai', 'hardware'],
  },
  {
    id: 'open-ledger',
    name: 'Open Ledger',
    about: 'Engineering notes on data, safety and trust',
    language: 'en',
    format: 'atom',
    encoding: 'utf-8',
    icon: 'feed',
    topics: ['databases', 'security', 'privacy', 'typescript'],
    echoes: 'byte-herald',
  },
  {
    id: 'harbour-post',
    name: 'The Harbour Post',
    about: 'News from town, market and pitch',
    language: 'en',
    format: 'rss091',
    encoding: 'utf-8',
    icon: 'link',
    topics: ['local-government', 'economy', 'sports', 'cooking'],
  },
  {
    id: 'orbit-weekly',
    name: 'Orbit Weekly',
    about: 'Space, weather and the planet below',
    language: 'en',
    format: 'json',
    encoding: 'utf-8',
    icon: 'feed',
    topics: ['space', 'climate'],
  },
  {
    id: 'kawara-tech',
    name: 'かわら技術通信',
    about: 'ソフトウェアと半導体の話題',
    language: 'ja',
    format: 'rss2',
    encoding: 'utf-8',
    icon: 'touch',
    topics: ['typescript', 'databases', 'ai', 'hardware'],
  },
  {
    id: 'shomusho',
    name: '庶務省 新着情報',
    about: '報道資料、審議会、意見募集のお知らせ',
    language: 'ja',
    format: 'rdf',
    encoding: 'utf-8',
    icon: 'none',
    topics: ['local-government', 'privacy', 'economy', 'climate'],
    ministry: true,
  },
  {
    id: 'machi-shimbun',
    name: 'まち新聞',
    about: '暮らしと地域のニュース',
    language: 'ja',
    format: 'rss2',
    encoding: 'shift_jis',
    icon: 'svg',
    topics: ['cooking', 'sports', 'local-government', 'space'],
  },
  {
    id: 'keizai-dayori',
    name: '経済だより',
    about: '景気と産業の今',
    language: 'ja',
    format: 'rss1',
    encoding: 'euc-jp',
    icon: 'link',
    topics: ['economy', 'hardware', 'climate'],
  },
  {
    id: 'yoru-lab',
    name: '夜の研究室',
    about: '人工知能と安全の読み物',
    language: 'ja',
    format: 'atom',
    encoding: 'utf-8',
    icon: 'feed',
    topics: ['ai', 'security', 'privacy'],
    echoes: 'kawara-tech',
  },
];

export function findOutlet(id: string): Outlet | undefined {
  return OUTLETS.find((outlet) => outlet.id === id);
}
