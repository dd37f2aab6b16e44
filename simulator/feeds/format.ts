/** The dialects in which the simulated world publishes. */
export type FeedFormat = 'rss091' | 'rss2' | 'rss1' | 'rdf' | 'atom' | 'json';

/** A feed independent of its dialect. */
export interface Feed {
  readonly title: string;
  readonly about: string;
  readonly language: string;
  /** The site. */
  readonly link: string;
  /** The feed itself. */
  readonly self: string;
  readonly icon?: string;
  readonly updatedAt: number;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly id: string;
  readonly link: string;
  readonly title: string;
  readonly summary: string;
  readonly html?: string;
  readonly author?: string;
  readonly category?: string;
  readonly publishedAt: number;
  readonly updatedAt?: number;
}

/** The media type that goes with each dialect. */
export const MEDIA_TYPES: Readonly<Record<FeedFormat, string>> = {
  rss091: 'text/xml',
  rss2: 'application/rss+xml',
  rss1: 'text/xml',
  rdf: 'application/rdf+xml',
  atom: 'application/atom+xml',
  json: 'application/feed+json',
};

/** Text inside an XML element or attribute. */
export function xml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);
}
