import { type Loopback, loopback } from '../../fetch/loopback.fixture.ts';

export const CHANNEL = 'UCaaaaaaaaaaaaaaaaaaaaaa';

export interface FakeVideo {
  readonly id: string;
  readonly at: number;
  readonly seconds?: number;
  readonly live?: 'upcoming' | 'live' | 'ended';
  readonly startsAt?: number;
  readonly short?: boolean;
  readonly private?: boolean;
}

/** A fake YouTube: the calls, pages and feeds of a channel. */
export class FakeYouTube {
  videos: FakeVideo[] = [];
  broken: { status: number; reason: string } | null = null;
  feedBroken = false;
  pageSize = 50;
  readonly keys: (string | undefined)[] = [];
  server: Loopback | null = null;

  async start(): Promise<string> {
    this.server = await loopback((request, response) => {
      const url = new URL(request.url ?? '/', 'http://x');
      const json = (value: unknown, status = 200): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (url.pathname.startsWith('/youtube/v3/')) {
        this.keys.push(request.headers['x-goog-api-key'] as string | undefined);
        if (this.broken)
          return json(
            { error: { code: this.broken.status, errors: [{ reason: this.broken.reason }] } },
            this.broken.status,
          );
        return json(this.#api(url));
      }
      if (url.pathname === '/feeds/videos.xml') {
        if (this.feedBroken) return void response.writeHead(404).end();
        return void response.end(this.#feed());
      }
      if (url.pathname.startsWith('/shorts/')) {
        const video = this.videos.find((each) => each.id === url.pathname.slice(8));
        if (video?.short) return void response.end('<html></html>');
        return void response.writeHead(303, { location: `/watch?v=${video?.id}` }).end();
      }
      if (url.pathname === '/watch') return void response.end('<html></html>');
      if (/^\/(?:@boats|c\/Boats|user\/boats|Boats)$/.test(decodeURIComponent(url.pathname))) {
        return void response.end(
          `<html><head><link rel="canonical" href="https://www.youtube.com/channel/${CHANNEL}"></head></html>`,
        );
      }
      response.writeHead(404).end();
    });
    return this.server.url;
  }

  get calls(): string[] {
    return (this.server?.requests ?? []).map((request) =>
      request.replace(/^GET |^HEAD /, '').replace(/\?.*$/, ''),
    );
  }

  #api(url: URL): unknown {
    if (url.pathname.endsWith('/channels')) {
      const known =
        url.searchParams.get('forHandle') === '@boats' ||
        url.searchParams.get('id') === CHANNEL ||
        url.searchParams.get('forUsername') === 'boats';
      return known
        ? {
            items: [
              {
                id: CHANNEL,
                snippet: { title: 'Boats' },
                contentDetails: { relatedPlaylists: { uploads: `UU${CHANNEL.slice(2)}` } },
              },
            ],
          }
        : { pageInfo: {} };
    }
    if (url.pathname.endsWith('/playlistItems')) {
      const from = Number(url.searchParams.get('pageToken') ?? 0);
      const page = this.videos.slice(from, from + this.pageSize);
      return {
        items: page.map((video) => this.#listed(video)),
        ...(from + this.pageSize < this.videos.length ? { nextPageToken: String(from + this.pageSize) } : {}),
      };
    }
    const ids = new Set(url.searchParams.get('id')?.split(','));
    return { items: this.videos.filter((video) => ids.has(video.id)).map((video) => this.#detailed(video)) };
  }

  #listed(video: FakeVideo): unknown {
    if (video.private)
      return {
        snippet: {
          title: 'Private video',
          channelId: CHANNEL,
          resourceId: { videoId: video.id },
          publishedAt: new Date(video.at).toISOString(),
        },
        contentDetails: { videoId: video.id },
        status: { privacyStatus: 'private' },
      };
    return {
      snippet: {
        title: `Video ${video.id}`,
        description: 'About boats',
        channelId: CHANNEL,
        channelTitle: 'Boats',
        resourceId: { videoId: video.id },
        thumbnails: { high: { url: `https://i.example/${video.id}.jpg` } },
      },
      contentDetails: { videoId: video.id, videoPublishedAt: new Date(video.at).toISOString() },
      status: { privacyStatus: 'public' },
    };
  }

  #detailed(video: FakeVideo): unknown {
    const iso = (time: number | undefined): string | undefined =>
      time === undefined ? undefined : new Date(time).toISOString();
    return {
      id: video.id,
      snippet: {
        liveBroadcastContent: video.live === 'ended' ? 'none' : (video.live ?? 'none'),
        defaultAudioLanguage: 'en',
      },
      contentDetails: { duration: video.seconds === undefined ? 'P0D' : `PT${video.seconds}S` },
      status: { uploadStatus: video.seconds === undefined ? 'uploaded' : 'processed' },
      ...(video.live
        ? {
            liveStreamingDetails: {
              scheduledStartTime: iso(video.startsAt),
              ...(video.live === 'ended' ? { actualEndTime: iso(video.at) } : {}),
            },
          }
        : {}),
    };
  }

  #feed(): string {
    const entries = this.videos
      .slice(0, 15)
      .map(
        (video) =>
          `<entry><id>yt:video:${video.id}</id><yt:videoId>${video.id}</yt:videoId><yt:channelId>${CHANNEL}</yt:channelId><title>Video ${video.id}</title><link rel="alternate" href="https://www.youtube.com/${video.short ? 'shorts/' : 'watch?v='}${video.id}"/><author><name>Boats</name></author><published>${new Date(video.at).toISOString()}</published></entry>`,
      );
    return `<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom"><title>Boats</title>${entries.join('')}</feed>`;
  }
}
