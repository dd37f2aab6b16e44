/** A configuration with one mistake, and the expected message. `FILE` stands for its name. */
export interface InvalidConfig {
  readonly mistake: string;
  readonly text: string;
  readonly expected: string;
}

export const SOURCES =
  'sources:\n  dev-blog: { feed: "https://example.org/feed.xml" }\n  talks: { youtube: "@talks" }\n';
export const INTERESTS = 'interests: [{ topic: databases }]';

export const curate = (settings: string): string =>
  `${SOURCES}pipelines:\n  morning: { kind: curate, sources: [dev-blog], ${INTERESTS}${settings} }\n`;
export const pipeline = (settings: string): string => `${SOURCES}pipelines:\n  p: { ${settings} }\n`;
export const source = (settings: string): string =>
  `sources:\n  s: ${settings}\npipelines:\n  p: { kind: summarise, sources: [s] }\n`;
export const besides = (section: string): string => `${curate('')}${section}\n`;
