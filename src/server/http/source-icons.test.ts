import { expect, it } from 'vitest';
import type { FetchOutcome } from '../../fetch/fetcher.ts';
import { DAY } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { SourceIcons } from './source-icons.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\nan icon', 'latin1');
const ICO = Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]);

function response(status: number, body: Uint8Array): FetchOutcome {
  return { outcome: 'response', status, body, headers: {}, url: '', movedTo: null, retryAt: null };
}

it('X13 the icon of a site is fetched once, in the background, and shown once it is known', async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  await using icons = new SourceIcons({
    clock,
    fetcher: {
      async fetch({ url }) {
        asked.push(url);
        if (url.includes('png')) return response(200, PNG);
        if (url.includes('ico.example')) return response(200, ICO);
        if (url.includes('html')) return response(200, Buffer.from('<svg><script>alert(1)</script></svg>'));
        return response(404, new Uint8Array());
      },
    },
  });
  const sites = ['png', 'ico', 'html', 'none'].map((name) => `https://${name}.example`);
  const paths = () => sites.map((site) => icons.pathOf(site));
  expect(paths()).toEqual([null, null, null, null]);
  const found = expect.stringMatching(/^\/api\/v1\/icons\/[0-9a-f]{32}$/);
  await expect.poll(paths).toEqual([found, found, null, null]);
  expect(asked.toSorted()).toEqual(sites.map((site) => `${site}/favicon.ico`).toSorted());
  const [png = '', ico = ''] = paths().map((path) => path?.split('/').at(-1));
  expect(icons.find(png)).toMatchObject({ type: 'image/png', bytes: PNG });
  expect(icons.find(ico)).toMatchObject({ type: 'image/x-icon', bytes: ICO });
  expect(icons.find('x')).toBeNull();
  expect(icons.pathOf(null)).toBeNull();
  // Later again, and until then the former one is shown.
  await clock.advance(8 * DAY);
  expect(paths()).toEqual([found, found, null, null]);
  await expect.poll(() => asked).toHaveLength(8);
});
