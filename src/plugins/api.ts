/**
 * What `import … from 'kawaraban'` gives: the interface for plugins. Everything exported here is public and follows semantic
 * versioning; a test lists the names.
 */

export type {
  FetchErrorKind,
  Fetcher,
  FetchOutcome,
  FetchRequest,
} from '../fetch/fetcher.ts';
export { itemKey } from '../item/identity.ts';
export type { Enclosure, Item, ItemKey, Sighting, Verdict } from '../item/item.ts';
export type {
  ArticleText,
  Document,
  Evaluation,
  Interest,
  Interests,
  Judge,
  JudgeAbilities,
  JudgeFailure,
  Judgement,
  Provenance,
  Screening,
  Summary,
  SummaryStyle,
  Usage,
} from '../judge/judge.ts';
export type {
  Content,
  ContentItem,
  EditedItem,
  EditOutcome,
  OutgoingMessage,
  Publisher,
  PublisherAbilities,
  ReadBackOutcome,
  Rendered,
  SendOutcome,
} from '../publishers/publisher.ts';
export { errorResponseReading, failedFetchReading } from '../sources/polling.ts';
export type {
  ClaimedSource,
  PublishingHints,
  ReadOptions,
  Source,
  SourceErrorKind,
  SourceReading,
  SourceRecord,
  SourceState,
  SourceStore,
} from '../sources/source.ts';
export type { LogFields, Logger } from '../telemetry/logger.ts';
export type { Clock } from '../time/clock.ts';
export {
  definePlugin,
  isSecret,
  type JudgeDefinition,
  type JudgeServices,
  PLUGIN_API_VERSION,
  type Plugin,
  type PluginSecret,
  type PluginServices,
  type PublisherDefinition,
  type PublisherServices,
  type SourceDefinition,
  type SourceServices,
  type SourceStoreDefinition,
} from './plugin.ts';
export type { StandardSchema, StandardSchemaIssue, StandardSchemaResult } from './standard-schema.ts';
