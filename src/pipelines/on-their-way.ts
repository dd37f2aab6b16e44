import type { ItemStore } from '../ledger/ledger.ts';
import type { ContentItem } from '../press/publisher.ts';
import type { CuratorStore, OpenDigest } from './curator-store.ts';
import { gatherStories, type OneStory } from './one-story.ts';
import { compose, type PressParts } from './press-room.ts';
import { hasMessageFor } from './settle-items.ts';

export interface MissingParts extends PressParts {
  readonly store: CuratorStore;
  readonly settings: { readonly sameStory: boolean };
}

/** Adds the messages of articles that are said at one destination and have no message for another, such as one that is new. */
export async function addMissing(
  digests: readonly OpenDigest[],
  parts: MissingParts,
  signal: AbortSignal,
): Promise<void> {
  for (const { id, articles, messages } of digests)
    for (const publisher of parts.publishers) {
      const missing = articles.filter(
        ({ key }) =>
          !hasMessageFor(
            publisher.id,
            messages.filter(({ itemKeys }) => itemKeys.includes(key)),
          ),
      );
      if (missing.length === 0) continue;
      const stories = parts.settings.sameStory
        ? gatherStories(missing, []).fresh
        : missing.map((lead) => ({ lead, others: [] }));
      const contents = await Promise.all(stories.map((story) => contentOf(story, parts)));
      await parts.store.updateDigest(
        id,
        await compose(contents, { ...parts, publishers: [publisher] }, { signal }),
      );
    }
}

/** What a message says of a story: its lead, and which other sources carried it. */
export async function contentOf(
  { lead, others }: OneStory,
  { ledger }: { readonly ledger: Pick<ItemStore, 'sightings'> },
): Promise<ContentItem> {
  const carried = (await ledger.sightings(lead.key)).map(({ sourceName }) => sourceName);
  const names = new Set([...others.map(({ sourceName }) => sourceName), ...carried]);
  names.delete(lead.sourceName);
  return {
    item: lead,
    summary: lead.verdict?.summary ?? null,
    alsoSeenIn: [...names],
    others: others.map(({ key }) => key),
  };
}
