import type { Rng } from '../world/rng.ts';
import type { Language } from './topic.ts';

/** Invented names of people and companies. */
const NAMES: Readonly<Record<Language, Readonly<Record<string, readonly string[]>>>> = {
  en: {
    company: [
      'Larkfield',
      'Norvane Systems',
      'Tillerstone',
      'Quillbrook',
      'Ashgrove Labs',
      'Penrow',
      'Halden Works',
      'Marlowe & Finch',
      'Corrin Data',
      'Bluemoor',
    ],
    city: [
      'Wexcombe',
      'Altenbury',
      'Port Marren',
      'Greyhaven',
      'Oldmere',
      'Saint Corran',
      'Fennwick',
      'Tarrow',
    ],
    name: [
      'Ines Calloway',
      'Tomas Reed',
      'Priya Halloran',
      'Jun Okafor',
      'Greta Lindqvist',
      'Amos Bellweather',
    ],
    project: ['Heron', 'Lantern', 'Driftwood', 'Sparrow', 'Anvil', 'Juniper', 'Cobalt', 'Thistle'],
    month: ['January', 'March', 'April', 'June', 'September', 'October', 'November'],
  },
  ja: {
    company: [
      '青葉システムズ',
      '白波データ',
      '東雲テック',
      '若竹製作所',
      '千鳥ソフト',
      'みなと電機',
      '北斗通信',
      '橘工業',
      '山吹ラボ',
    ],
    city: ['瀬ノ浦', '早瀬', '松ヶ岬', '風見', '花房', '雲井', '常磐台', '水沢原'],
    name: ['小野寺', '三枝', '早川', '日向', '桐生', '佐伯', '柏木', '深山'],
    project: ['はやぶさ丸', 'あかつき', 'しおさい', 'こだま', 'ほたる', 'つばめ'],
    month: ['一月', '三月', '四月', '六月', '九月', '十月', '十一月'],
  },
};

const SLOT = /\{(\w+?)(?::(\d+)-(\d+))?\}/g;

/** Fills the slots of one article: the same slot has the same value throughout it. */
export function filler(language: Language, rng: Rng): (text: string) => string {
  const filled = new Map<string, string>();
  return (text) =>
    text.replace(SLOT, (slot, name: string, least?: string, most?: string) => {
      const known = filled.get(slot);
      if (known !== undefined) return known;
      const value =
        least === undefined
          ? rng.pick(NAMES[language][name] ?? [slot])
          : `${rng.between(Number(least), Number(most))}`;
      filled.set(slot, value);
      return value;
    });
}
