import { xml } from '../feeds/format.ts';
import type { Status } from '../mastodon/statuses.ts';
import { page } from './page.ts';

const SHOWN = 50;

/** The account on the simulated Mastodon, newest status first. */
export function mastodonPage(statuses: readonly Status[]): string {
  const list = statuses.slice(-SHOWN).reverse().map(statusHtml).join('\n');
  const empty = '<p class="empty">Nothing has been posted yet. Statuses appear here by themselves.</p>';
  return page(
    'Simulated Mastodon',
    STYLE,
    `<h1>Simulated Mastodon</h1><p class="note">${statuses.length} ${statuses.length === 1 ? 'status' : 'statuses'} by @kawaraban. This is not a real instance: nothing leaves this computer.</p>${list || empty}`,
  );
}

function statusHtml(status: Status): string {
  const time = status.created_at.slice(0, 19).replace('T', ' ');
  const body =
    status.spoiler_text === ''
      ? status.content
      : `<details><summary>${xml(status.spoiler_text)}</summary>${status.content}</details>`;
  return `<article id="s${status.id}" lang="${xml(status.language ?? '')}"><header><span class="face">瓦</span><strong>Kawaraban</strong> <small>@kawaraban · ${time} UTC · ${status.visibility}${status.edited_at === null ? '' : ' · edited'}</small></header>
${body}</article>`;
}

const STYLE = `
body{background:#191b22;color:#e6e6ea}h1{font-size:1.3rem}
article{background:#282c37;border:1px solid #393f4f;border-radius:.5rem;padding:.9rem 1.1rem;margin:.75rem 0}
header{display:flex;align-items:center;gap:.5rem;flex-wrap:wrap}header small{color:#b3b8c8}
.face{width:2.2rem;height:2.2rem;border-radius:.4rem;background:#6364ff;color:#fff;display:grid;place-items:center;font-weight:700}
article p{margin:.6rem 0 0;overflow-wrap:anywhere}article a{color:#a5a8ff}.empty{padding:3rem 0;text-align:center;color:#b3b8c8}`;
