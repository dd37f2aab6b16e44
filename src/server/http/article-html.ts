import { parseSrcset } from '../../articles/pictures.ts';
import { escapeHtml } from '../../feeds/text-html.ts';
import type { SignedImageUrls } from './image-routes.ts';

/** As `sanitiseArticle` writes it: no `>` inside of an attribute. */
const PICTURE = /<img\b[^<>]*>/g;

/**
 * Sanitised HTML with the addresses of its pictures replaced by those of the picture proxy, so that no other server learns
 * who reads what (R10). A picture that cannot be proxied is removed.
 */
export function proxyPictures(html: string, addresses: Pick<SignedImageUrls, 'pathFor'>): string {
  return html.replace(PICTURE, (tag) => {
    const source = addresses.pathFor(attribute(tag, 'src'));
    if (source === null) return '';
    const candidates = parseSrcset(attribute(tag, 'srcset') ?? '').flatMap(({ url, descriptor }) => {
      const path = addresses.pathFor(url);
      return path === null ? [] : [descriptor === '' ? path : `${path} ${descriptor}`];
    });
    const others = tag
      .slice('<img'.length)
      .replace(/\s*\/?>$/, '')
      .replace(/\s(?:src|srcset)="[^"]*"/g, '');
    const srcset = candidates.length === 0 ? '' : ` srcset="${escapeHtml(candidates.join(', '))}"`;
    return `<img src="${escapeHtml(source)}"${srcset}${others}>`;
  });
}

function attribute(tag: string, name: 'src' | 'srcset'): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
