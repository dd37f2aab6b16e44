import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { CommandError, EXIT } from './errors.ts';
import { writeFileAtomically } from './files.ts';
import { firstSimulatorPort } from './simulator-address.ts';
import type { CliContext } from './terminal.ts';

/** Addresses and secrets of the simulator that runs on this machine. */
export interface SimulatorAddresses {
  readonly urls: Readonly<Record<'feeds' | 'hackernews' | 'youtube' | 'mastodon' | 'gemini', string>>;
  /** By the names of their environment variables. */
  readonly secrets: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 5000;

/** Asks the running simulator for its addresses. */
export async function findSimulator(context: CliContext): Promise<SimulatorAddresses> {
  const address = `http://127.0.0.1:${firstSimulatorPort(context)}`;
  try {
    const answer = await fetch(`${address}/__sim`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await answer.json()) as SimulatorAddresses;
  } catch (cause) {
    throw new CommandError(
      `there is no simulator at ${address}: start it in another terminal with \`kawaraban simulator\``,
      EXIT.unavailable,
      { cause },
    );
  }
}

/** The recipe with the simulator in the place of the internet. */
export function withSimulator(recipe: string, { urls }: SimulatorAddresses): string {
  const { feeds, hackernews, youtube, mastodon, gemini } = urls;
  const places: readonly (readonly [string, string])[] = [
    ['https://hnrss.org/frontpage', `${feeds}/byte-herald/feed.xml`],
    ['https://lobste.rs/rss', `${feeds}/open-ledger/feed.xml`],
    ['https://nodejs.org/en/feed/blog.xml', `${feeds}/kawara-tech/feed.xml`],
    ['https://www.soumu.go.jp/news.rdf', `${feeds}/shomusho/feed.xml`],
    ['https://mastodon.social', mastodon],
    ['youtube: "@GoogleDevelopers"', `feed_url: ${youtube}\n    youtube: "@datatalks"`],
    ['    kind: gemini\n', `    kind: gemini\n    base_url: ${gemini}/v1beta\n`],
    [
      '  source: hackernews\n',
      `  source: hackernews\n  base_url: ${hackernews}\n  site_url: ${hackernews}\n`,
    ],
  ];
  const text = places.reduce((all, [real, simulated]) => all.replaceAll(real, simulated), recipe);
  return `${text.trimEnd()}

# The simulator is on this machine. Remove this for the real internet: private addresses are blocked by default.
network:
  allow: ["127.0.0.1"]
  host_spacing: 0s
`;
}

/** Adds the secrets that the file does not have yet. */
export async function addSecrets(path: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  const before = existsSync(path) ? await readFile(path, 'utf8') : '';
  const known = parseEnv(before);
  const lines = Object.entries(secrets).flatMap(([name, value]) =>
    Object.hasOwn(known, name) ? [] : [`${name}=${value}\n`],
  );
  if (lines.length === 0) return;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  await writeFileAtomically(path, `${before}${gap}${lines.join('')}`, { replace: true, mode: 0o600 });
}
