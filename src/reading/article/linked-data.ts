/** What the JSON-LD of a page says about its article. */
export interface LinkedData {
  readonly headline: string | null;
  readonly author: string | null;
  readonly published: string | null;
  readonly image: string | null;
  readonly language: string | null;
  /** `false`: somebody has to pay. */
  readonly free: boolean | null;
}

type Fields = Readonly<Record<string, unknown>>;

const LARGEST_SCRIPT = 512 * 1024;
const MOST_NODES = 500;
const ARTICLE =
  /^(https?:\/\/schema\.org\/)?(\w*Article|BlogPosting|Report|WebPage|LiveBlogPosting|SocialMediaPosting)$/;

/** Reads the scripts as far as they can be read. Articles come before pages that merely hold them. */
export function readLinkedData(scripts: readonly string[]): LinkedData {
  const nodes: Fields[] = [];
  for (const script of scripts) if (script.length <= LARGEST_SCRIPT) collect(parse(script), nodes);
  const articles = nodes
    .filter((node) => typesOf(node).some((type) => ARTICLE.test(type)))
    .sort((a, b) => Number(isPage(a)) - Number(isPage(b)));
  const first = <T>(read: (node: Fields) => T | null): T | null => {
    for (const node of articles) {
      const found = read(node);
      if (found !== null) return found;
    }
    return null;
  };
  return {
    headline: first((node) => (isPage(node) ? null : (text(node.headline) ?? text(node.name)))),
    author: first((node) => nameOf(node.author)),
    published: first((node) => text(node.datePublished)),
    image: first((node) => addressOf(node.image)),
    language: first((node) => text(node.inLanguage)),
    free: first((node) => truth(node.isAccessibleForFree)),
  };
}

function parse(script: string): unknown {
  const bare = script
    .replace(/^\s*(<!--|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, '')
    .replace(/(-->|\/\/\s*\]\]>|\]\]>)\s*$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    try {
      // Line ends inside strings are the most common mistake.
      return JSON.parse(bare.replace(/[\n\r\t]+/g, ' '));
    } catch {
      return null;
    }
  }
}

/** Lists and graphs, flattened. */
function collect(start: unknown, nodes: Fields[]): void {
  const waiting: unknown[] = [start];
  for (let value = waiting.shift(); value !== undefined || waiting.length > 0; value = waiting.shift()) {
    if (nodes.length >= MOST_NODES) return;
    if (Array.isArray(value)) waiting.push(...value.slice(0, MOST_NODES));
    else if (isFields(value)) {
      nodes.push(value);
      for (const key of ['@graph', 'mainEntity', 'mainEntityOfPage', 'hasPart'])
        if (typeof value[key] === 'object') waiting.push(inherit(value[key], value, key));
    }
  }
}

/** A locked part locks the article: that is how the parts behind a paywall are marked. */
function inherit(value: unknown, parent: Fields, key: string): unknown {
  if (key !== 'hasPart') return value;
  const parts = Array.isArray(value) ? value : [value];
  return parts
    .filter((part) => isFields(part) && truth(part.isAccessibleForFree) === false)
    .map(() => ({ '@type': parent['@type'], isAccessibleForFree: false }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typesOf(node: Fields): readonly string[] {
  const type = node['@type'];
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

function isPage(node: Fields): boolean {
  return typesOf(node).every((type) => /WebPage$/.test(type));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
}

function nameOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const names = value.map(nameOf).filter((name) => name !== null);
    return names.length > 0 ? names.slice(0, 5).join(', ') : null;
  }
  return isFields(value) ? text(value.name) : text(value);
}

function addressOf(value: unknown): string | null {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return isFields(one) ? text(one.url) : text(one);
}

function truth(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && /^(true|false)$/i.test(value) ? /^true$/i.test(value) : null;
}
