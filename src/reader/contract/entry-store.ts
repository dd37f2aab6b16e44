import { afterEach, beforeEach, describe } from 'vitest';
import { articleCases } from './entry-articles.ts';
import { listCases } from './entry-lists.ts';
import { regroupingCases } from './entry-regrouping.ts';
import { retentionCases } from './entry-retention.ts';
import { searchCases } from './entry-search.ts';
import { stateCases } from './entry-states.ts';
import { EntryStoreSubject, type EntryStoreUnderTest } from './entry-store-subject.ts';

/** Contract of an entry store, R1 to R15. */
export function entryStoreContract(name: string, make: () => Promise<EntryStoreUnderTest>): void {
  describe(`${name} as an entry store`, () => {
    const subject = new EntryStoreSubject();
    beforeEach(() => subject.open(make));
    afterEach(() => subject.close());

    articleCases(subject);
    stateCases(subject);
    listCases(subject);
    searchCases(subject);
    retentionCases(subject);
    regroupingCases(subject);
  });
}
