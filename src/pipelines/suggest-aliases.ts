import { wordKey } from '../item/word-key.ts';
import { type AliasProposal, proposeAliases } from '../judge/alias-proposals.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import type { InterestWords, LiveInterests } from './live-interests.ts';

/** How many of the newest items are read. */
const MAX_ITEMS = 2000;
const PAGE_SIZE = 200;

export interface InterestReport extends InterestWords {
  /** The built-in judge has words for it, in both languages. */
  readonly known: boolean;
  /** Items that name it, of those that were read. */
  readonly items: number;
  /** For an interest that is not known, without refused words. Nothing counts before an owner accepts it. */
  readonly proposals: readonly AliasProposal[];
}

export interface InterestsReport {
  readonly pipeline: string;
  /** Items that were read. */
  readonly items: number;
  readonly interests: readonly InterestReport[];
}

/** The interests of a curator, with proposals of aliases from its own stream. Changes nothing. */
export async function reportInterests(
  pipeline: string,
  live: Pick<LiveInterests, 'report'>,
  ledger: Pick<ItemStore, 'list'> | undefined,
): Promise<InterestsReport | null> {
  const words = await live.report(pipeline);
  if (words === null || ledger === undefined) return null;
  const { vocabulary } = await import('../judge/local/vocabulary/vocabulary.ts');
  const texts = await newestTexts(ledger);
  const inForce = words.flatMap(({ topic, aliases }) => [topic, ...aliases]);
  const interests = words.map((interest): InterestReport => {
    const known = vocabulary().knows(interest.topic);
    const decided = new Set([...inForce, ...interest.refused.map(({ word }) => word)].map(wordKey));
    const found = proposeAliases(interest, texts, (word) => !decided.has(wordKey(word)));
    return { ...interest, known, items: found.texts, proposals: known ? [] : found.proposals };
  });
  return { pipeline, items: texts.length, interests };
}

async function newestTexts(ledger: Pick<ItemStore, 'list'>): Promise<string[]> {
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) });
    for (const { title, verdict } of page.items) texts.push(`${title}\n${verdict?.summary ?? ''}`);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && texts.length < MAX_ITEMS);
  return texts;
}
