import { READ_DEFAULTS, readFeed } from '../../reading/feed/read-feed.ts';
import type { Fetcher } from '../../reading/fetcher.ts';
import { decodeText } from '../../reading/text-encoding.ts';
import { answerTrouble, fetchTrouble } from '../answer-trouble.ts';
import type { Channel } from './channel.ts';
import { type DataApi, type Trouble, text } from './data-api.ts';
import { type Upload, uploadOf } from './upload.ts';
import { detailsOf } from './video-facts.ts';

export type Uploads = { readonly outcome: 'uploads'; readonly uploads: readonly Upload[] } | Trouble;

/** Ten pages of fifty: what a channel uploads in one window, however busy. */
const MOST_PAGES = 10;
const AT_ONCE = 50;

/** What was uploaded since then, through the API: one unit for each page and one for each fifty new videos. */
export async function uploadsByApi(
  api: DataApi,
  sourceId: string,
  channel: Channel,
  since: number,
  now: number,
  signal: AbortSignal,
): Promise<Uploads> {
  const found: Upload[] = [];
  let page: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const answer = await api.playlistItems(sourceId, channel.uploads, page, signal);
    if (answer.outcome !== 'ok') return answer;
    const uploads = answer.items.map(uploadOf).filter((upload) => upload !== null);
    const recent = uploads.filter((upload) => upload.publishedAt >= since);
    found.push(...recent);
    // A page with nothing recent ends it; one old entry does not, since announced videos are listed out of order.
    if (recent.length === 0 || answer.next === null) break;
    page = answer.next;
  }
  return await withDetails(api, sourceId, found, now, signal);
}

/** With length, language and kind. Videos that have vanished since the list was read are left out. */
async function withDetails(
  api: DataApi,
  sourceId: string,
  uploads: readonly Upload[],
  now: number,
  signal: AbortSignal,
): Promise<Uploads> {
  const detailed: Upload[] = [];
  for (let from = 0; from < uploads.length; from += AT_ONCE) {
    const some = uploads.slice(from, from + AT_ONCE);
    const answer = await api.videos(
      sourceId,
      some.map((upload) => upload.videoId),
      signal,
    );
    if (answer.outcome !== 'ok') return answer;
    const byId = new Map(answer.items.map((video) => [text(video.id), video]));
    for (const upload of some) {
      const video = byId.get(upload.videoId);
      if (video === undefined) continue;
      const { kind, ...details } = detailsOf(video, now);
      detailed.push({ ...upload, ...details, kind: kind === 'maybe_short' ? null : kind });
    }
  }
  return { outcome: 'uploads', uploads: detailed };
}

/** The channel's last fifteen uploads from its public Atom feed, which needs no key. */
export async function uploadsByFeed(
  fetcher: Fetcher,
  site: string,
  channel: Channel,
  signal: AbortSignal,
): Promise<Uploads> {
  const url = `${site}/feeds/videos.xml?channel_id=${channel.id}`;
  const answer = await fetcher.fetch({ url, maxBytes: 2 * 1024 * 1024 }, signal);
  if (answer.outcome === 'failed') return fetchTrouble(answer, signal) as Trouble;
  if (answer.status !== 200) return answerTrouble(answer) as Trouble;
  const { text: xml } = decodeText(answer.body, answer.headers['content-type'], { xml: true });
  const reading = readFeed(xml, { ...READ_DEFAULTS, url });
  if (reading.outcome !== 'feed')
    return { outcome: 'failed', why: 'not_a_feed', detail: 'the channel’s feed is none' };
  const uploads = reading.feed.entries.flatMap((entry): Upload[] => {
    if (entry.video === null || entry.publishedAt === null) return [];
    const short = entry.link !== null && /\/shorts\//.test(entry.link);
    return [
      {
        ...entry.video,
        title: entry.title,
        description: entry.text,
        publishedAt: entry.publishedAt,
        imageUrl: entry.image,
        language: entry.language,
        kind: short ? 'short' : null,
        startsAt: null,
        durationSeconds: null,
      },
    ];
  });
  return { outcome: 'uploads', uploads };
}
