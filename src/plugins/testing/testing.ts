/**
 * What `import … from 'kawaraban/testing'` gives: the contract suites of the ports, for the tests of a plugin. They need vitest.
 */

export { type JudgeUnderTest, judgeContract } from '../../judge/contract/judge.ts';
export { interestsOf } from '../../judge/interests.ts';
export { type PublisherSubject, publisherContract } from '../../publishers/contract/publisher.ts';
export { messageOf, sampleContent, sampleItem } from '../../publishers/contract/sample-content.ts';
export { type StoreUnderTest, sourceStoreContract } from '../../sources/contract/source-store.ts';
export { ManualClock } from '../../time/manual-clock.ts';
