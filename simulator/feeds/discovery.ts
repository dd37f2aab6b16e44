import { OUTLETS, type Outlet } from '../world/outlet.ts';
import { feedPath } from './feeds.ts';
import { MEDIA_TYPES, xml } from './format.ts';

/** A page without items that links to its feed in its head. */
export function discoveryPage(base: string, outlet?: Outlet): string {
  const links = (outlet ? [outlet] : OUTLETS).map((each) => ({
    href: outlet ? feedPath(each) : `${base}${feedPath(each)}`,
    type: MEDIA_TYPES[each.format],
    title: each.name,
  }));
  const head = links.map(
    ({ href, type, title }) =>
      `<link rel="alternate" type="${type}" title="${xml(title)}" href="${xml(href)}">`,
  );
  const body = links.map(({ href, title }) => `<li><a href="${xml(href)}">${xml(title)}</a></li>`);
  return `<!doctype html>
<html lang="${outlet?.language ?? 'en'}"><head><meta charset="utf-8"><title>${xml(outlet?.name ?? 'Feeds of the simulated world')}</title>
${head.join('\n')}
</head><body><h1>${xml(outlet?.name ?? 'Feeds of the simulated world')}</h1><p>${xml(outlet?.about ?? 'Everything here is invented.')}</p><ul>
${body.join('\n')}
</ul></body></html>
`;
}
