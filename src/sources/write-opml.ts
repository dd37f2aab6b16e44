import type { OpmlFeed } from './opml.ts';

export interface WriteOpmlOptions {
  readonly title: string;
  /** Time of writing, where it is to stand in the list. */
  readonly now?: number;
}

interface Folder {
  readonly feeds: OpmlFeed[];
  readonly folders: Map<string, Folder>;
}

/** Writes a list of feeds with its folders as OPML 2.0, which every feed reader takes (X14). */
export function writeOpml(feeds: readonly OpmlFeed[], options: WriteOpmlOptions): string {
  const root: Folder = { feeds: [], folders: new Map() };
  for (const feed of feeds) folderFor(root, feed.folders).feeds.push(feed);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<opml version="2.0">',
    '  <head>',
    `    <title>${escaped(options.title)}</title>`,
    ...(options.now === undefined
      ? []
      : [`    <dateCreated>${new Date(options.now).toUTCString()}</dateCreated>`]),
    '  </head>',
    '  <body>',
    ...written(root, '    '),
    '  </body>',
    '</opml>',
    '',
  ].join('\n');
}

function folderFor(root: Folder, path: readonly string[]): Folder {
  let folder = root;
  for (const name of path) {
    const inside = folder.folders.get(name) ?? { feeds: [], folders: new Map() };
    folder.folders.set(name, inside);
    folder = inside;
  }
  return folder;
}

function* written(folder: Folder, indent: string): Generator<string> {
  for (const feed of folder.feeds) {
    const home = feed.home === null ? '' : ` htmlUrl="${escaped(feed.home)}"`;
    const title = escaped(feed.title);
    yield `${indent}<outline type="rss" text="${title}" title="${title}" xmlUrl="${escaped(feed.url)}"${home}/>`;
  }
  for (const [name, inside] of folder.folders) {
    yield `${indent}<outline text="${escaped(name)}" title="${escaped(name)}">`;
    yield* written(inside, `${indent}  `);
    yield `${indent}</outline>`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Characters that XML cannot hold at all. */
const IMPOSSIBLE = /(?![\n\t])[\p{Cc}\ufffe\uffff]/gu;

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(IMPOSSIBLE, '')
    .replace(/[&<>"\n\t]/g, (c) => ESCAPES[c] ?? c);
}
