import { describe, expect, it } from 'vitest';
import { sanitiseArticle } from '../../articles/sanitise.ts';
import { proxyPictures } from './article-html.ts';
import { SignedImageUrls } from './image-routes.ts';

const addresses = new SignedImageUrls(new Uint8Array(32).fill(1));
const proxied = (url: string): string => (addresses.pathFor(url) ?? '').replaceAll('&', '&amp;');
const served = (html: string): string =>
  proxyPictures(sanitiseArticle(html, { baseUrl: 'https://a.example/post/' }), addresses);

describe('proxyPictures', () => {
  it('R10 pictures come through the proxy, with signatures that it accepts', () => {
    const html = served(
      '<p>Text</p><img src="a.png?x=1&amp;y=&quot;2&quot;" alt="A > B" width="10" height="20">',
    );
    const [, source = ''] = /src="([^"]*)"/.exec(html) ?? [];
    const query = new URL(source.replaceAll('&amp;', '&'), 'http://x').searchParams;
    expect(query.get('u')).toBe('https://a.example/post/a.png?x=1&y=%222%22');
    expect(addresses.verify(query.get('u') ?? '', query.get('s') ?? '')).toBe(true);
    expect(html).toContain('alt="A &gt; B" width="10" height="20"');
    expect(html).toContain('<p>Text</p>');
  });

  it('R10 every candidate of a srcset comes through the proxy, also with commas in its address', () => {
    const html = served('<img src="/c,d/1.jpg" srcset="/c,d/1.jpg 1x, /c,d/2.jpg 2x">');
    expect(html).toContain(`src="${proxied('https://a.example/c,d/1.jpg')}"`);
    expect(html).toContain(
      `srcset="${proxied('https://a.example/c,d/1.jpg')} 1x, ${proxied('https://a.example/c,d/2.jpg')} 2x"`,
    );
    expect(html.replaceAll(/\/api\/v1\/image\?[^" ,]*/g, '')).not.toContain('a.example');
  });

  it('R10 a picture that the proxy does not sign is removed', () => {
    expect(served(`<p>A<img src="https://a.example/${'x'.repeat(2_000)}.png">B</p>`)).toBe('<p>AB</p>');
    expect(proxyPictures('<img alt="no source" />', addresses)).toBe('');
  });

  it('leaves text about pictures as it is', () => {
    const html = served('<pre><code>&lt;img src="https://a.example/a.png"&gt;</code></pre>');
    expect(html).toBe('<pre><code>&lt;img src="https://a.example/a.png"&gt;</code></pre>');
  });
});
