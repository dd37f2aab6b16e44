const MAX_LENGTH = 4_000;

/** An absolute address of the web without a password; `null` for any other. */
export function webLink(written: string | undefined, base: string): string | null {
  if (written === undefined || written.length > MAX_LENGTH) return null;
  const text = written.trim();
  if (text === '') return null;
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  return url.href.length > MAX_LENGTH ? null : url.href;
}

/** The page of a video that a frame shows; `null` for any other frame. */
export function embeddedVideo(frame: string | null): { readonly url: string; readonly site: string } | null {
  const url = frame === null ? null : URL.parse(frame);
  if (url === null) return null;
  const host = url.hostname.replace(/^(?:www|m)\./, '');
  if (host === 'youtube.com' || host === 'youtube-nocookie.com' || host === 'youtu.be') {
    const id =
      /^\/(?:embed|v|shorts|live)\/([\w-]{11})$/.exec(url.pathname)?.[1] ?? url.searchParams.get('v');
    const list = url.searchParams.get('list');
    if (id !== null && /^[\w-]{11}$/.test(id) && id !== 'videoseries')
      return { url: `https://www.youtube.com/watch?v=${id}`, site: 'YouTube' };
    if (list !== null && /^[\w-]{10,60}$/.test(list))
      return { url: `https://www.youtube.com/playlist?list=${list}`, site: 'YouTube' };
    return null;
  }
  const vimeo = host === 'player.vimeo.com' ? /^\/video\/(\d{4,15})$/.exec(url.pathname)?.[1] : undefined;
  return vimeo === undefined ? null : { url: `https://vimeo.com/${vimeo}`, site: 'Vimeo' };
}

/** The name of a file, for a link to it. */
export function fileLabel(address: string): string {
  const url = new URL(address);
  const name = url.pathname.split('/').pop() ?? '';
  try {
    return decodeURIComponent(name).slice(0, 200) || url.hostname;
  } catch {
    return name.slice(0, 200) || url.hostname;
  }
}
