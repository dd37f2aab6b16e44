import { xml } from '../feeds/format.ts';

/** A web page that reloads itself. */
export function page(title: string, style: string, main: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${xml(title)}</title>
<style>
*{box-sizing:border-box}body{margin:0;font:16px/1.45 system-ui,"Hiragino Sans","Noto Sans CJK JP","Noto Sans JP",sans-serif}
main{max-width:46rem;margin:0 auto;padding:1.25rem}a{color:inherit}
.note{font-size:.85rem;opacity:.75;margin:0 0 1rem}
${style}
</style></head>
<body><main>${main}</main>
<script>
setInterval(async () => {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer || !answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  const shown = document.querySelector('main');
  if (fresh && fresh.innerHTML !== shown.innerHTML) shown.innerHTML = fresh.innerHTML;
}, 3000);
</script>
</body></html>
`;
}

/** The markdown that Discord shows in descriptions, as far as messages of a newsroom use it. */
export function markdown(text: string): string {
  return xml(text)
    .replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '<em>$1</em>')
    .replace(/`([^`\n]+)`/g, '<code>$1</code>')
    .replaceAll('\n', '<br>');
}
