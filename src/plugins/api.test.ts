import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Names that a module of the package exports, types included. */
function exportedNames(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.replace(/^\s*type /, '').trim())
    .filter((name) => name !== '')
    .toSorted();
}

describe('the public API', () => {
  // A name that is removed or changes its meaning needs a new major version; a new one a minor version.
  it('I3 exports these names from `kawaraban`', () => {
    expect(exportedNames('api.ts').join(' ')).toMatchInlineSnapshot(
      `"ArticleText ClaimedSource Clock Content ContentItem Document EditOutcome EditedItem Enclosure Evaluation FetchErrorKind FetchOutcome FetchRequest Fetcher Interest Interests Item ItemKey Judge JudgeAbilities JudgeDefinition JudgeFailure JudgeServices Judgement LogFields Logger OutgoingMessage PLUGIN_API_VERSION Plugin PluginSecret PluginServices Provenance Publisher PublisherAbilities PublisherDefinition PublisherServices PublishingHints ReadBackOutcome ReadOptions Rendered Screening SendOutcome Sighting Source SourceDefinition SourceErrorKind SourceReading SourceRecord SourceServices SourceState SourceStore SourceStoreDefinition StandardSchema StandardSchemaIssue StandardSchemaResult Summary SummaryStyle Usage Verdict definePlugin errorResponseReading failedFetchReading isSecret itemKey"`,
    );
  });

  it('I3 exports these names from `kawaraban/testing`', () => {
    expect(exportedNames('testing/testing.ts').join(' ')).toMatchInlineSnapshot(
      `"JudgeUnderTest ManualClock PublisherSubject StoreUnderTest interestsOf judgeContract messageOf publisherContract sampleContent sampleItem sourceStoreContract"`,
    );
  });
});
