import { xml } from '../feeds/format.ts';
import { OUTLETS } from '../world/outlet.ts';
import { page } from './page.ts';

/** Contents of the simulated world, with addresses. */
export function homePage(urls: Readonly<Record<string, string>>, counts: unknown): string {
  const services = Object.entries(urls)
    .filter(([name]) => name !== 'control')
    .map(([name, url]) => `<tr><th>${xml(name)}</th><td><code>${xml(url)}</code></td></tr>`);
  const outlets = OUTLETS.map((outlet) => {
    const feed = `${urls.feeds}/${outlet.id}/feed.${outlet.format === 'json' ? 'json' : 'xml'}`;
    return `<tr><th><a href="${urls.pages}/${outlet.id}/">${xml(outlet.name)}</a></th><td><a href="${feed}">${outlet.format}, ${outlet.encoding}</a></td><td>${outlet.topics.join(', ')}</td></tr>`;
  });
  return page(
    'The simulator',
    STYLE,
    `<h1>A small internet on this computer</h1>
<p class="note">Everything here is invented, and nothing leaves this computer.</p>
<p class="doors"><a href="/discord">See the simulated Discord</a> <a href="/mastodon">See the simulated Mastodon</a></p>
<h2>Outlets</h2><table>${outlets.join('')}</table>
<h2>Services</h2><table>${services.join('')}</table>
<h2>Counts</h2><pre>${xml(JSON.stringify(counts, null, 2))}</pre>`,
  );
}

const STYLE = `
body{background:#faf7f0;color:#2b2621}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:1.6rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #e3dccd;font-weight:400;vertical-align:top}th{font-weight:600}
.doors a{display:inline-block;background:#8c2f1b;color:#fff;text-decoration:none;border-radius:.4rem;padding:.5rem .9rem;margin:0 .4rem .4rem 0}
pre{background:#f0eadc;padding:.8rem;border-radius:.4rem;overflow:auto}
@media (prefers-color-scheme:dark){body{background:#1f1c18;color:#ece5d8}th,td{border-color:#3a352d}pre{background:#2a2620}.doors a{background:#b5452c}}`;
