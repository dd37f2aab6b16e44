import type { ItemKey } from '../../src/item/item.ts';
import { StoryGroups } from '../../src/same-story/same-story.ts';
import { type Result, result } from '../bench.ts';

/** Time and memory for 100,000 titles of which every fourth repeats a story (X3). */
export function groupingTime(): Result[] {
  const titles = Array.from({ length: 100_000 }, (_, n) => headline(n));
  globalThis.gc?.();
  const before = memory();
  const groups = new StoryGroups();
  const started = process.cpuUsage();
  let joined = 0;
  for (const [n, title] of titles.entries()) {
    const placed = groups.add({ key: `k${n}` as ItemKey, title, publishedAt: n * 1000 });
    if (placed.members.length > 1) joined++;
  }
  // CPU time of one thread: on an idle machine the wall time, on a busy one still the work it took.
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1e6;
  const megabytes = (memory() - before) / 2 ** 20;
  if (joined < 20_000) throw new Error(`only ${joined} titles found their group`);
  return [
    result({
      name: 'grouping 100,000 titles, processor time',
      ours: seconds,
      unit: 's',
      limit: { name: 'promised', value: 5 },
      goal: 'within 5 s',
      met: seconds <= 5,
    }),
    result({
      name: 'grouping 100,000 titles, memory',
      ours: megabytes,
      unit: 'MiB',
      limit: { name: 'promised', value: 200 },
      goal: 'within 200 MB',
      met: megabytes <= 200,
    }),
  ];
}

/** Garbage included: what the process really uses. */
function memory(): number {
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + Math.max(arrayBuffers, external);
}

const PLACES =
  'Larkfield Tolmin Norland Askel Orta Pinehurst Belmar Senn Halden Ruvel Ostrava Kestrel Amsel Dalton Quill Vellum'.split(
    ' ',
  );
const THINGS =
  'bridge ferry glacier museum railway harbour hospital library festival reactor satellite vaccine orchard market tunnel school'.split(
    ' ',
  );
const DEEDS =
  'closes reopens floods expands collapses wins loses votes protests strikes burns freezes melts grows shrinks moves'.split(
    ' ',
  );
const REASONS =
  'storm budget election strike drought outage verdict inspection celebration shortage merger heatwave leak rumour'.split(
    ' ',
  );
const JAPANESE = '港 橋 鉄道 病院 図書館 美術館 学校 市場 空港 工場 農園 原発 衛星 薬 祭り 新幹線'.split(' ');
const HAPPENED = '閉鎖 再開 拡張 延期 中止 完成 火災 停電 増便 値上げ 移転 統合 公開 承認'.split(' ');

/** Every fourth title repeats a story in slightly other words; half of the stories are Japanese. */
function headline(n: number): string {
  const story = n % 4 === 3 ? n - 1 - (n % 3) : n;
  const pick = (list: readonly string[], salt: number): string =>
    list[(Math.imul(story + 1, 2654435761) >>> salt) % list.length] ?? '';
  const again = story !== n;
  if (story % 2 === 0) {
    const text = `${pick(PLACES, 3)} ${pick(THINGS, 7)} ${pick(DEEDS, 11)} after ${pick(REASONS, 15)} in district ${story % 9973}`;
    return again ? `${text} - Daily` : text;
  }
  const mark = again ? 'が' : '、';
  return `${pick(JAPANESE, 4)}${story % 9967}号${mark}${pick(HAPPENED, 9)}へ　${pick(JAPANESE, 17)}の${pick(HAPPENED, 21)}受け`;
}
