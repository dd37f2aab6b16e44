import { xml } from '../feeds/format.ts';
import type { Ask, Reply } from '../net/exchange.ts';
import { html, plainError, redirect } from '../net/reply.ts';
import { iconReply } from '../pages/icon.ts';
import { type Library, uploadsPlaylist } from './api.ts';
import { CHANNELS, type Video, type VideoChannel } from './video.ts';

const IN_FEED = 15;

/** What the website serves without a key: channel feeds, channel pages, watch and shorts pages. */
export function site(ask: Ask, base: string, library: Library): Reply {
  if (ask.path === '/feeds/videos.xml') return channelFeed(ask, base, library);
  const [, first = '', second = ''] = ask.path.split('/').map(decodeURIComponent);
  const channel = CHANNELS.find(
    (each) => each.handle === first.toLowerCase() || (first === 'channel' && each.id === second),
  );
  if (channel) return html(channelPage(channel, base, library.pictureOf(channel)));
  if (ask.path === '/favicon.ico') return iconReply('YouTube', 'ico');
  const pictured = CHANNELS.find((each) => first === 'pictures' && second === `${each.id}.png`);
  if (pictured) return iconReply(pictured.id, 'png', 88);
  if (first === 'watch') {
    const video = library.find(ask.query.get('v') ?? '', ask.now);
    return video ? html(watchPage(video)) : plainError(404);
  }
  if (first === 'shorts') {
    const video = library.find(second, ask.now);
    if (!video) return plainError(404);
    return video.kind === 'short' ? html(watchPage(video)) : redirect(`${base}/watch?v=${video.id}`, 303);
  }
  return plainError(404);
}

function channelFeed(ask: Ask, base: string, library: Library): Reply {
  const id = ask.query.get('channel_id');
  const playlist = ask.query.get('playlist_id');
  const channel = CHANNELS.find((each) => each.id === id || uploadsPlaylist(each) === playlist);
  if (!channel) return plainError(404);
  const entries = library.uploads(channel, ask.now, 0, IN_FEED);
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom">
 <link rel="self" href="${base}/feeds/videos.xml?channel_id=${channel.id}"/>
 <id>yt:channel:${channel.id.slice(2)}</id>
 <yt:channelId>${channel.id.slice(2)}</yt:channelId>
 <title>${xml(channel.title)}</title>
 <link rel="alternate" href="${base}/channel/${channel.id}"/>
 <author><name>${xml(channel.title)}</name><uri>${base}/channel/${channel.id}</uri></author>
 <published>2020-01-01T00:00:00+00:00</published>
${entries.map((video) => feedEntry(video, base)).join('\n')}
</feed>
`;
  return { status: 200, headers: { 'content-type': 'text/xml; charset=UTF-8' }, body };
}

function feedEntry(video: Video, base: string): string {
  const published = new Date(video.publishedAt).toISOString().replace(/\.\d+Z$/, '+00:00');
  const link = video.kind === 'short' ? `${base}/shorts/${video.id}` : `${base}/watch?v=${video.id}`;
  return ` <entry>
  <id>yt:video:${video.id}</id>
  <yt:videoId>${video.id}</yt:videoId>
  <yt:channelId>${video.channel.id}</yt:channelId>
  <title>${xml(video.title)}</title>
  <link rel="alternate" href="${link}"/>
  <author><name>${xml(video.channel.title)}</name><uri>${base}/channel/${video.channel.id}</uri></author>
  <published>${published}</published>
  <updated>${published}</updated>
  <media:group><media:title>${xml(video.title)}</media:title><media:description>${xml(video.description)}</media:description></media:group>
 </entry>`;
}

function channelPage(channel: VideoChannel, base: string, picture: string): string {
  return `<!doctype html><html><head><title>${xml(channel.title)} - YouTube</title>
<link rel="canonical" href="${base}/channel/${channel.id}">
<link rel="alternate" type="application/rss+xml" title="RSS" href="${base}/feeds/videos.xml?channel_id=${channel.id}">
<meta property="og:url" content="${base}/channel/${channel.id}">
<meta property="og:image" content="${picture}">
<meta itemprop="identifier" content="${channel.id}">
</head><body><script>var ytInitialData = {"metadata":{"channelMetadataRenderer":{"externalId":"${channel.id}","vanityChannelUrl":"${base}/${channel.handle}"}}};</script></body></html>
`;
}

function watchPage(video: Video): string {
  return `<!doctype html><html><head><title>${xml(video.title)} - YouTube</title>
<meta name="description" content="${xml(video.description.slice(0, 150))}"></head><body><h1>${xml(video.title)}</h1></body></html>
`;
}
