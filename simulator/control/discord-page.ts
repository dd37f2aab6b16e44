import type { Embed } from '../discord/form.ts';
import type { Message } from '../discord/guild.ts';
import { xml } from '../feeds/format.ts';
import { markdown, page } from './page.ts';

const SHOWN = 50;

/** The channels of the simulated Discord, newest message first. */
export function discordPage(messages: readonly Message[], channelName: (id: string) => string): string {
  const latest = messages.slice(-SHOWN).reverse();
  const list = latest.map((message) => messageHtml(message, channelName(message.channel_id))).join('\n');
  const empty = '<p class="empty">Nothing has been posted yet. Messages appear here by themselves.</p>';
  return page(
    'Simulated Discord',
    STYLE,
    `<h1>Simulated Discord</h1><p class="note">${messages.length} ${messages.length === 1 ? 'message' : 'messages'}. This is not the real Discord: nothing leaves this computer.</p>${list || empty}`,
  );
}

function messageHtml(message: Message, channel: string): string {
  const edited = message.edited_timestamp === null ? '' : ' <small>(edited)</small>';
  const time = message.timestamp.slice(0, 19).replace('T', ' ');
  return `<article id="m${message.id}"><div class="face">${xml(message.author.username.slice(0, 1).toUpperCase())}</div><div class="body">
<header><strong>${xml(message.author.username)}</strong> <span class="app">APP</span> <small>#${xml(channel)} · ${time} UTC</small></header>
${message.content === '' ? '' : `<p>${markdown(message.content)}${edited}</p>`}
${message.embeds.map(embedHtml).join('')}
</div></article>`;
}

function embedHtml(embed: Embed): string {
  const colour = `#${(embed.color ?? 0x1e1f22).toString(16).padStart(6, '0')}`;
  const title = embed.title === undefined ? '' : xml(embed.title);
  const heading = embed.url === undefined ? title : `<a href="${xml(embed.url)}">${title}</a>`;
  const fields = (embed.fields ?? []).map(
    (field) => `<div><dt>${markdown(field.name ?? '')}</dt><dd>${markdown(field.value ?? '')}</dd></div>`,
  );
  return `<section class="embed" style="border-color:${colour}">
${embed.author?.name ? `<div class="by">${xml(embed.author.name)}</div>` : ''}
${title ? `<h2>${heading}</h2>` : ''}
${embed.description ? `<p>${markdown(embed.description)}</p>` : ''}
${fields.length > 0 ? `<dl>${fields.join('')}</dl>` : ''}
${embed.footer?.text ? `<footer>${xml(embed.footer.text)}</footer>` : ''}
</section>`;
}

const STYLE = `
body{background:#313338;color:#dbdee1}h1{font-size:1.3rem}
article{display:flex;gap:1rem;padding:.75rem 0;border-top:1px solid #3f4147}
.face{flex:none;width:2.5rem;height:2.5rem;border-radius:50%;background:#5865f2;color:#fff;display:grid;place-items:center;font-weight:700}
.body{min-width:0;flex:1}header small,.body small{color:#aeb4bd}.app{background:#5865f2;color:#fff;font-size:.65rem;border-radius:.2rem;padding:.05rem .3rem}
.body p{margin:.2rem 0;overflow-wrap:anywhere}.body a{color:#4cb0fb;text-decoration:none}.body a:hover{text-decoration:underline}
.embed{background:#2b2d31;border-left:4px solid;border-radius:.25rem;padding:.6rem .9rem;margin:.35rem 0;max-width:33rem}
.embed h2{font-size:1rem;margin:.1rem 0}.embed p{font-size:.92rem}.by{font-size:.85rem;font-weight:600}
dl{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem;margin:.5rem 0;font-size:.88rem}dt{font-weight:600}dd{margin:0}
.embed footer{font-size:.78rem;color:#aeb4bd;margin-top:.4rem}.empty{padding:3rem 0;text-align:center;color:#aeb4bd}`;
