import { expect, it } from 'vitest';
import { sniffImageType } from '../../fetch/image-type.ts';
import { SignedImageUrls } from './image-routes.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

it.each([
  ['image/png', '\x89PNG\r\n\x1a\nrest'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x00\x00\x00\x00WEBPVP8 '],
  ['image/avif', '\x00\x00\x00\x1cftypavif'],
  [null, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  [null, '<!doctype html>'],
  [null, '\x89PN'],
  [null, ''],
])('X13 recognises %s by its first bytes', (kind, head) => {
  expect(sniffImageType(bytes(head))).toBe(kind);
});

it('X6 accepts only URLs that were signed here', () => {
  const addresses = new SignedImageUrls(new Uint8Array(32).fill(1));
  const url = 'https://a.example/絵.png?x=1&y=2';
  const path = addresses.pathFor(url) ?? '';
  const query = new URL(path, 'http://x').searchParams;
  expect(query.get('u')).toBe(url);
  const signature = query.get('s') ?? '';
  expect(addresses.verify(url, signature)).toBe(true);
  expect(addresses.verify(`${url}0`, signature)).toBe(false);
  expect(addresses.verify(url, `${signature}0`)).toBe(false);
  expect(new SignedImageUrls(new Uint8Array(32)).verify(url, signature)).toBe(false);
  for (const bad of [undefined, 'javascript:alert(1)', 'data:image/png;base64,xx', 'file:///etc/passwd'])
    expect(addresses.pathFor(bad)).toBeNull();
});
