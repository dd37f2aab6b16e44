import type { XmlElement } from './xml.ts';

/** The picture that the media, podcast and enclosure elements of an item offer, as written. */
export function mediaImage(item: XmlElement): string | null {
  const group = item.child('media:group');
  for (const place of group === undefined ? [item] : [group, item]) {
    const thumbnail = deep(place, 'media:thumbnail')?.attr('url');
    if (thumbnail) return thumbnail;
    for (const content of place.all('media:content')) {
      const medium = content.attr('medium') ?? content.attr('type') ?? '';
      const url = content.attr('url');
      if (url && (medium.startsWith('image') || /\.(?:jpe?g|png|webp|gif|avif)(?:\?|$)/i.test(url)))
        return url;
    }
  }
  const itunes = item.child('itunes:image');
  const podcast = itunes?.attr('href') ?? itunes?.text();
  if (podcast) return podcast;
  for (const enclosure of item.all('enclosure')) {
    if (enclosure.attr('type')?.startsWith('image/')) return enclosure.attr('url') ?? null;
  }
  return item.child('image')?.child('url')?.text() || null;
}

/** What the media and podcast elements say about an item, where nothing else does. */
export function mediaText(item: XmlElement): string | null {
  const group = item.child('media:group') ?? item;
  return (
    group.child('media:description')?.markup() ||
    item.child('media:description')?.markup() ||
    item.child('itunes:summary')?.markup() ||
    item.child('itunes:subtitle')?.markup() ||
    item.child('atom:summary')?.markup() ||
    item.child('dc:description')?.markup() ||
    null
  );
}

function deep(place: XmlElement, name: string): XmlElement | undefined {
  return place.child(name) ?? place.child('media:content')?.child(name);
}
