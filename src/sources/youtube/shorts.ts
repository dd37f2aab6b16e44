import pLimit from 'p-limit';
import type { Fetcher } from '../../reading/fetcher.ts';
import type { Upload } from './upload.ts';
import { LONGEST_SHORT } from './video-facts.ts';

/**
 * Tells shorts from other brief videos: the address `/shorts/<id>` shows a short and sends on to the watch page for
 * everything else. Where that cannot be asked, a hashtag and a minute at most decide.
 */
export async function withShorts(
  uploads: readonly Upload[],
  fetcher: Fetcher,
  site: string,
  signal: AbortSignal,
): Promise<readonly Upload[]> {
  const limit = pLimit(4);
  return await Promise.all(
    uploads.map((upload) => {
      // The channel's feed tells nothing of lengths, and marks its shorts itself.
      if (upload.kind !== null || upload.durationSeconds === null) return upload;
      if (upload.durationSeconds > LONGEST_SHORT) return { ...upload, kind: 'video' as const };
      return limit(async () => ({
        ...upload,
        kind: (await isShort(upload, fetcher, site, signal)) ? ('short' as const) : ('video' as const),
      }));
    }),
  );
}

async function isShort(
  upload: Upload,
  fetcher: Fetcher,
  site: string,
  signal: AbortSignal,
): Promise<boolean> {
  const url = `${site}/shorts/${upload.videoId}`;
  const answer = await fetcher.fetch(
    { url, method: 'HEAD', maxRedirects: 3, headers: { cookie: 'SOCS=CAI' } },
    signal,
  );
  if (answer.outcome === 'response' && answer.status === 200)
    return new URL(answer.url).pathname.startsWith('/shorts/');
  return (
    (upload.durationSeconds ?? 0) <= 60 && /#shorts?\b/i.test(`${upload.title} ${upload.description ?? ''}`)
  );
}
